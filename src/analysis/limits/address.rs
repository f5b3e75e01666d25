//! Where connections lead: to a constant address without encryption, unless it stays on this machine.

use super::Calls;
use super::given::MAX_HOPS;
use crate::analysis::effects::EffectSite;
use crate::catalog::Bound;
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId};
use crate::link::{Func, Target};

impl Calls<'_, '_> {
    /// How surely a connection goes to such an address; `None` if nothing says so.
    pub(super) fn leads_plainly(&self, site: &EffectSite) -> Option<Confidence> {
        let (call, args) = self.call(site)?;
        let at = self.catalog.limits.of(&site.callee).map_or(0, |limit| limit.address_at);
        self.of_arguments(site.from, args, at, MAX_HOPS)
            .or_else(|| self.of_receiver(site.from, call, MAX_HOPS))
    }

    fn of_arguments(&self, func: Func, args: &[Arg], at: usize, hops: u32) -> Option<Confidence> {
        let facts = self.facts(func);
        let is_named = |arg: &&Arg| match arg.kind {
            ArgKind::Named(name) => self.catalog.limits.carries(Bound::Https, facts.str(name)),
            _ => false,
        };
        let first = args.iter().take_while(|arg| arg.kind == ArgKind::Positional).nth(at);
        let addresses = args.iter().filter(is_named).chain(first);
        addresses.filter_map(|arg| self.is_plain(func, arg.value, hops)).max()
    }

    /// What the object was made with, and what was said to it on the way: `Client(base_url=…).get(path)`,
    /// `client.get(url).send()`.
    fn of_receiver(&self, func: Func, call: ExprId, hops: u32) -> Option<Confidence> {
        let hops = hops.checked_sub(1)?;
        let facts = self.facts(func);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
        let Expr::Field { base, .. } = *facts.expr(callee) else { return None };
        let makers = match *facts.expr(base) {
            Expr::Call { .. } => vec![(func, base)],
            _ => self.makers(func, base, MAX_HOPS),
        };
        makers.into_iter().find_map(|(owner, maker)| {
            let Expr::Call { args, .. } = *self.facts(owner).expr(maker) else { return None };
            let at = self.address_at(owner, maker);
            let own = self.of_arguments(owner, self.facts(owner).list(args), at, hops);
            own.or_else(|| self.of_receiver(owner, maker, hops))
        })
    }

    fn address_at(&self, func: Func, call: ExprId) -> usize {
        let mut paths = self.program.edges_at(func, call).iter().filter_map(|edge| match edge.to {
            Target::External(path) => Some(self.program.path(path)),
            Target::Project(_) => None,
        });
        paths.find_map(|path| self.catalog.limits.of(path)).map_or(0, |limit| limit.address_at)
    }

    /// Whether a value is such an address: always, or sometimes. A parameter is what this operation hands over for it.
    fn is_plain(&self, func: Func, value: ExprId, hops: u32) -> Option<Confidence> {
        let hops = hops.checked_sub(1)?;
        if let Expr::Var(var) = *self.facts(func).expr(value)
            && let Some((owner, at)) = self.program.parameter_of(self.program.slot_of(func, var))
        {
            let handed = self.handed(owner, at);
            if !handed.is_empty() {
                let each = handed.into_iter().filter_map(|(from, given)| self.is_plain(from, given, hops));
                return each.max();
            }
        }
        let known = self.program.possible(func, value);
        let limits = &self.catalog.limits;
        let plain =
            known.list.iter().filter(|known| limits.is_plain_address(&known.text, known.whole)).count();
        let is_always = known.complete && plain == known.list.len();
        (plain > 0).then_some(if is_always { Confidence::High } else { Confidence::Medium })
    }
}

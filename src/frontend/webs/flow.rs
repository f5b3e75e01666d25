//! Which definitions reach which uses: one walk over a function's body, along its structure. Loops need no repetition, because
//! what is defined inside one is known before it is entered.

use super::values::{Value, Values};
use super::{Found, Plan};
use crate::ir::walk::Child;
use crate::ir::{Expr, ExprId, Facts, Func, Jump, Label, Lit, Loop, Pat, PatId};

/// Work per node after which a function is left as it is: joins can be quadratic in hostile code.
const BUDGET_PER_NODE: usize = 12;

pub(super) struct Flow<'f> {
    pub(super) facts: &'f Facts,
    pub(super) plan: &'f Plan,
    pub(super) values: Values,
    /// By tracked variable, what it holds now.
    pub(super) current: Vec<Value>,
    /// What was overwritten, so that a branch can be undone and be compared with others.
    pub(super) log: Vec<(u32, Value)>,
    /// False behind a `return`: nothing flows on from here.
    pub(super) is_live: bool,
    pub(super) loops: Vec<Frame>,
    uses: Vec<(ExprId, Value)>,
    pub(super) defs: Vec<(PatId, Value)>,
    left: usize,
}

/// A loop that is being walked.
pub(super) struct Frame {
    label: Label,
    /// The variables that are defined inside, each with its value at the head and at the exit.
    pub variables: Vec<(u32, Value, Value)>,
    has_break: bool,
    /// How often the head or the exit was gone to.
    pub jumps: usize,
}

/// A way through a branching node: what its variables hold at the end.
pub(super) struct Branch {
    is_live: bool,
    pub changed: Vec<(u32, Value)>,
}

impl<'f> Flow<'f> {
    /// `None` if the budget ran out.
    pub fn run(facts: &'f Facts, id: Func, plan: &'f Plan) -> Option<Found> {
        let function = facts.function(id);
        let count = plan.tracked.len();
        let nodes = (function.exprs.hi - function.exprs.lo) as usize;
        let mut flow = Self {
            facts,
            plan,
            values: Values::new(count),
            current: (0..count as u32).map(Values::unbound).collect(),
            log: Vec::new(),
            is_live: true,
            loops: Vec::new(),
            uses: Vec::new(),
            defs: Vec::new(),
            left: nodes * BUDGET_PER_NODE + 10_000,
        };
        facts.list(function.params).iter().for_each(|param| flow.pat(param.pat));
        flow.expr(function.body);
        let end = flow.is_live.then_some(flow.current);
        (flow.left > 0).then_some(Found { uses: flow.uses, defs: flow.defs, end, values: flow.values })
    }

    pub(super) fn expr(&mut self, id: ExprId) {
        self.spend(1);
        if self.left == 0 {
            return;
        }
        let facts = self.facts;
        match *facts.expr(id) {
            Expr::Var(var) => {
                if let Some(variable) = self.plan.index[var.0 as usize] {
                    self.uses.push((id, self.current[variable as usize]));
                }
            }
            Expr::Closure(function) => self.head(function),
            Expr::Class(class) => {
                let class = facts.class(class);
                facts.list(class.decorators).iter().for_each(|&id| self.expr(id));
                facts.list(class.bases).iter().for_each(|&id| self.expr(id));
                // What computes something stands as a statement before the class.
                let options = facts.list(class.options).iter().map(|option| option.value);
                options.filter(|&id| matches!(facts.expr(id), Expr::Var(_))).for_each(|id| self.expr(id));
                class.kind.expr().into_iter().for_each(|id| self.expr(id));
            }
            Expr::Store { place, value: None, .. } => self.delete(place),
            Expr::All(list) | Expr::Any(list) => self.short_circuit(facts.list(list)),
            Expr::If { arms, otherwise } => {
                let mut branches = Vec::new();
                let entry = self.log.len();
                for arm in facts.list(arms) {
                    self.expr(arm.test);
                    branches.push(self.branch(entry, |flow| flow.expr(arm.body)));
                }
                branches.push(self.branch(entry, |flow| otherwise.into_iter().for_each(|id| flow.expr(id))));
                self.join(entry, &branches);
            }
            Expr::Match { .. } => self.match_arms(id),
            Expr::Loop(index) => self.repeat(id, facts.arenas.loop_at(index)),
            Expr::Try(index) => self.attempt(facts.arenas.try_at(index)),
            Expr::With { context, pat, body, .. } => {
                self.expr(context);
                pat.into_iter().for_each(|pat| self.pat(pat));
                self.managed(body);
            }
            Expr::Jump { kind, value } => {
                value.into_iter().for_each(|id| self.expr(id));
                self.jump(kind);
            }
            _ => facts.arenas.each_child(id, |child| self.child(child)),
        }
    }

    fn child(&mut self, child: Child) {
        match child {
            Child::Expr(id) => self.expr(id),
            Child::Pat(pat) => self.pat(pat),
        }
    }

    /// What a definition evaluates where it stands.
    fn head(&mut self, function: Func) {
        let facts = self.facts;
        let function = facts.function(function);
        facts.list(function.decorators).iter().for_each(|&id| self.expr(id));
        for param in facts.list(function.params) {
            param.ty.into_iter().chain(param.default).for_each(|id| self.expr(id));
        }
        function.returns.into_iter().for_each(|id| self.expr(id));
    }

    pub(super) fn pat(&mut self, id: PatId) {
        let facts = self.facts;
        if let &Pat::Or(choices) = facts.pat(id) {
            return self.pat_choices(facts.list(choices));
        }
        facts.arenas.each_child_of_pat(id, |child| self.child(child));
        if let &Pat::Var(var) | &Pat::As { var, .. } = facts.pat(id)
            && let Some(variable) = self.plan.index[var.0 as usize]
        {
            let value = self.values.define(variable);
            self.defs.push((id, value));
            self.set(variable, value);
        }
    }

    /// Each choice binds the same names; one of them has.
    fn pat_choices(&mut self, choices: &[PatId]) {
        let entry = self.log.len();
        let branches: Vec<_> = choices.iter().map(|&pat| self.branch(entry, |flow| flow.pat(pat))).collect();
        self.join(entry, &branches);
    }

    pub(super) fn set(&mut self, variable: u32, value: Value) {
        let old = std::mem::replace(&mut self.current[variable as usize], value);
        self.log.push((variable, old));
    }

    fn delete(&mut self, place: ExprId) {
        self.expr(place);
        if let &Expr::Var(var) = self.facts.expr(place)
            && let Some(variable) = self.plan.index[var.0 as usize]
        {
            self.set(variable, Values::unbound(variable));
        }
    }

    /// After the first operand each may be the last that is evaluated.
    fn short_circuit(&mut self, operands: &[ExprId]) {
        let Some((&first, rest)) = operands.split_first() else { return };
        self.expr(first);
        let before = self.log.len();
        rest.iter().for_each(|&id| self.expr(id));
        self.blur(before);
    }

    fn match_arms(&mut self, id: ExprId) {
        let facts = self.facts;
        let Expr::Match { subject, arms } = *facts.expr(id) else { return };
        self.expr(subject);
        let entry = self.log.len();
        let mut branches = Vec::new();
        let mut is_total = false;
        for arm in facts.list(arms) {
            let before = self.log.len();
            self.pat(arm.pat);
            arm.guard.into_iter().for_each(|id| self.expr(id));
            branches.push(self.branch(entry, |flow| flow.expr(arm.body)));
            is_total |= arm.guard.is_none() && matches!(facts.pat(arm.pat), Pat::Wild | Pat::Var(_));
            self.blur(before);
        }
        let mut fallen = self.branch(entry, |_| {});
        fallen.is_live &= !is_total;
        branches.push(fallen);
        self.join(entry, &branches);
    }

    fn repeat(&mut self, id: ExprId, found: &Loop) {
        found.each.into_iter().for_each(|(_, iterable)| self.expr(iterable));
        self.enter_loop(id, found.label);
        let is_endless = found
            .test
            .is_some_and(|id| matches!(self.facts.expr(id), Expr::Lit(Lit::Bool(true) | Lit::Int(1))));
        found.test.into_iter().for_each(|id| self.expr(id));
        let was_live = self.is_live;
        let before = self.log.len();
        found.each.into_iter().for_each(|(pat, _)| self.pat(pat));
        self.expr(found.body);
        if self.is_live {
            self.go_to(self.loops.len() - 1, |(_, head, _)| head);
        }
        self.undo(before);
        self.is_live = was_live && !is_endless;
        let Some(frame) = self.loops.pop() else { return };
        found.otherwise.into_iter().for_each(|id| self.expr(id));
        self.leave_loop(&frame);
    }

    /// Gives everything that is defined inside a value at the head, to which what flows back is added later.
    fn enter_loop(&mut self, id: ExprId, label: Label) {
        let mut frame = Frame { label, variables: Vec::new(), has_break: false, jumps: 0 };
        for variable in self.defined_in(id) {
            let (head, exit) = (self.values.choice(variable), self.values.choice(variable));
            self.values.choose_from(head, self.current[variable as usize]);
            self.set(variable, head);
            frame.variables.push((variable, head, exit));
        }
        self.loops.push(frame);
    }

    fn leave_loop(&mut self, frame: &Frame) {
        if !frame.has_break {
            return;
        }
        for &(variable, _, exit) in &frame.variables {
            let now = self.current[variable as usize];
            if self.is_live {
                self.values.choose_from(exit, now);
            }
            self.set(variable, exit);
        }
        self.is_live = true;
    }

    /// Adds the state to the head or the exit of a loop.
    fn go_to(&mut self, frame: usize, place: fn((u32, Value, Value)) -> Value) {
        let frame = &mut self.loops[frame];
        frame.jumps += 1;
        for &variable in &frame.variables {
            self.values.choose_from(place(variable), self.current[variable.0 as usize]);
        }
        let work = frame.variables.len();
        self.spend(work);
    }

    fn jump(&mut self, kind: Jump) {
        match kind {
            Jump::Assert => return,
            Jump::Return | Jump::Raise => {}
            Jump::Break(label) | Jump::Continue(label) => {
                let is_break = matches!(kind, Jump::Break(_));
                let target = self.loops.iter().rposition(|frame| frame.label == label);
                if let Some(target) = target.filter(|_| self.is_live) {
                    self.loops[target].has_break |= is_break;
                    self.go_to(target, if is_break { |(_, _, exit)| exit } else { |(_, head, _)| head });
                }
            }
        }
        self.is_live = false;
    }

    /// Walks one way through a branching node and undoes it, down to where the way began.
    pub(super) fn branch(&mut self, entry: usize, walk: impl FnOnce(&mut Self)) -> Branch {
        let was_live = self.is_live;
        let before = self.log.len();
        walk(self);
        let branch = Branch { is_live: self.is_live, changed: self.changed(entry) };
        self.undo(before);
        self.is_live = was_live;
        branch
    }

    /// What has changed since `entry`, sorted by variable, with its value now.
    pub(super) fn changed(&mut self, entry: usize) -> Vec<(u32, Value)> {
        self.spend(self.log.len() - entry);
        if self.left == 0 {
            return Vec::new();
        }
        let mut changed: Vec<_> = self.log[entry..].iter().map(|&(variable, _)| variable).collect();
        changed.sort_unstable();
        changed.dedup();
        changed.into_iter().map(|variable| (variable, self.current[variable as usize])).collect()
    }

    pub(super) fn undo(&mut self, to: usize) {
        while self.log.len() > to {
            if let Some((variable, old)) = self.log.pop() {
                self.current[variable as usize] = old;
            }
        }
    }

    /// Continues from where all ways meet.
    pub(super) fn join(&mut self, entry: usize, branches: &[Branch]) {
        self.undo(entry);
        let live: Vec<_> = branches.iter().filter(|branch| branch.is_live).collect();
        self.is_live = !live.is_empty();
        let mut all: Vec<_> = live.iter().flat_map(|branch| branch.changed.iter().copied()).collect();
        all.sort_by_key(|&(variable, _)| variable);
        self.spend(all.len());
        for group in all.chunk_by(|one, other| one.0 == other.0) {
            let variable = group[0].0;
            let mut values = values_of(group);
            if group.len() < live.len() {
                values.push(self.current[variable as usize]);
            }
            let value = self.values.join(variable, &values);
            self.set(variable, value);
        }
    }

    /// Everything that was changed since `before` may or may not have been.
    fn blur(&mut self, before: usize) {
        let mut all: Vec<_> = self.log[before..].to_vec();
        let now = self.changed(before);
        all.extend(now);
        all.sort_by_key(|&(variable, _)| variable);
        for group in all.chunk_by(|one, other| one.0 == other.0) {
            let value = self.values.join(group[0].0, &values_of(group));
            self.set(group[0].0, value);
        }
    }

    pub(super) fn spend(&mut self, work: usize) {
        self.left = self.left.saturating_sub(work);
    }
}

pub(super) fn values_of(group: &[(u32, Value)]) -> Vec<Value> {
    group.iter().map(|&(_, value)| value).collect()
}

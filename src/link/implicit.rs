//! Calls that nobody writes: operators, subscripts, tests, texts and iteration run methods of the classes of their operands. Which
//! operations an expression has, the core language says; which methods they mean, the profile of the language of the class. What no
//! class of the project answers costs nothing.

use std::rc::Rc;

use super::containers::{Answering, Operation};
use super::edge::{Receiver, Rung, Target};
use super::edges::{Pass, Why};
use super::ids::{Cls, Func, OperationId, Slot};
use super::ports::Port;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, FnKind, Implied, LanguageProfile, Operator};

impl Solver<'_, '_> {
    /// Notes the operations of a body that some class of the project may answer.
    pub(super) fn note_operations(&mut self, func: Func) {
        self.note_accesses(func);
        let facts = self.index.units[self.index.file_of(func)].facts;
        for expr in self.index.ir(func).exprs.iter() {
            for implied in facts.implied(expr) {
                let is_spelled = self.is_asked(implied.operator)
                    && self.is_spelled(implied.operator, implied.is_reflected);
                let asked = is_spelled.then(|| self.asked_value(func, &implied));
                let at = if implied.operator == Operator::Iterate { implied.asked } else { expr };
                asked.into_iter().for_each(|asked| self.note_operation(func, (expr, at), (implied, asked)));
            }
            match *facts.expr(expr) {
                Expr::Call { callee, args, .. } => {
                    self.note_library_call(func, expr, (callee, facts.list(args)));
                }
                Expr::Bind { value, .. } => {
                    if let FnKind::ClassBody(class) = self.index.ir(func).kind {
                        self.note_name(func, expr, value);
                        self.note_member(func, class, expr);
                    }
                }
                Expr::Class(class) => self.note_class(func, expr, class),
                Expr::Match { subject, arms } => self.note_handed_on(func, expr, subject, arms),
                _ => {}
            }
        }
    }

    /// True if somebody writes down the name of a method for it.
    pub(super) fn is_spelled(&self, operator: Operator, is_reflected: bool) -> bool {
        self.operations.spelled.contains(&(operator, is_reflected))
    }

    /// The operand that is asked, or what it holds.
    fn asked_value(&mut self, func: Func, implied: &Implied) -> Value {
        let whole = self.value(func, implied.asked);
        if implied.is_element { self.ask(whole, Port::Entry(None)) } else { whole }
    }

    /// False for what only classes of classes answer, where there are none.
    fn is_asked(&self, operator: Operator) -> bool {
        match operator {
            Operator::Call => !self.hierarchy.metaclasses.is_empty(),
            Operator::FindMember => !self.hierarchy.enumerations.is_empty(),
            _ => true,
        }
    }

    /// Looks which operations have a method that somebody writes down.
    pub(super) fn note_spelled(&mut self) {
        let mut profiles: Vec<&LanguageProfile> = Vec::new();
        for unit in self.index.units {
            let profile = unit.facts.profile();
            if !profiles.iter().any(|known| known.name == profile.name) {
                profiles.push(profile);
            }
        }
        for profile in profiles {
            for (operator, is_reflected) in profile.operators().flat_map(|it| [(it, false), (it, true)]) {
                let mut names = names(profile, operator, is_reflected).iter();
                if names.any(|name| self.index.names.get(name).is_some())
                    || is_reflected && self.extending(profile, operator).next().is_some()
                {
                    self.operations.spelled.insert((operator, is_reflected));
                    // What hands out elements is asked where somebody wants them.
                    if operator == Operator::Next {
                        self.operations.spelled.insert((Operator::Iterate, false));
                    }
                }
            }
        }
    }

    pub(super) fn note_operation(
        &mut self,
        func: Func,
        (expr, at): (ExprId, ExprId),
        (implied, asked): (Implied, Value),
    ) {
        if asked == Value::Nothing {
            return;
        }
        let Implied { operator, given, is_reflected, .. } = implied;
        let to = self.made_by(func, expr, operator);
        let operation = Operation::new(func, at, operator, asked, given, to);
        self.operations.list.push(Operation { is_reflected, ..operation });
        // An object may hand out its elements itself.
        if operator == Operator::Iterate {
            self.operations.list.push(Operation::new(func, at, Operator::Next, asked, [None; 2], None));
        }
    }

    /// An object in a class body is told its name.
    fn note_name(&mut self, func: Func, expr: ExprId, value: ExprId) {
        if self.is_spelled(Operator::NameDescriptor, false) {
            let asked = self.value(func, value);
            let operation = Operation::new(func, expr, Operator::NameDescriptor, asked, [None; 2], None);
            self.operations.list.push(operation);
        }
    }

    /// Where the result of an operation goes.
    fn made_by(&mut self, func: Func, expr: ExprId, operator: Operator) -> Option<Slot> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.expr(expr) {
            // Its elements are known by what hands them out.
            _ if operator == Operator::Iterate => None,
            Expr::Op { .. } | Expr::Index { .. } | Expr::Bind { .. } | Expr::Call { .. } => {
                match self.value(func, expr) {
                    Value::In(slot) => Some(slot),
                    _ => None,
                }
            }
            Expr::Store { place, op: Some(_), .. } => {
                let made = self.new_slot();
                self.store(func, place, Value::In(made));
                Some(made)
            }
            _ => None,
        }
    }

    /// Asks the operands that are known by now. True if some answered that had not before.
    pub(super) fn answer(&mut self) -> bool {
        let mut is_more = self.find_descriptors();
        for id in 0..self.operations.list.len() as u32 {
            let Operation { operator, is_reflected, asked, .. } = self.operations.list[id as usize];
            let Answering { types, is_meant, is_crowd } = self.answering(asked, operator, is_reflected);
            if types.is_empty() {
                continue;
            }
            let operation = &mut self.operations.list[id as usize];
            (operation.is_meant, operation.is_crowd) = (is_meant, is_crowd);
            for &ty in &*types {
                if self.operations.asked.insert((OperationId(id), ty)) {
                    self.ask_object(OperationId(id), ty);
                    is_more = true;
                }
            }
        }
        is_more
    }

    fn answering(&mut self, asked: Value, operator: Operator, is_reflected: bool) -> Answering {
        let set = match asked {
            Value::In(slot) => self.graph.held(slot),
            Value::Is(ty) => {
                let types = self.type_answers(ty, operator, is_reflected).into_iter().collect();
                return Answering { types, is_meant: true, is_crowd: false };
            }
            Value::Nothing => return Answering::default(),
        };
        if let Some(known) = self.operations.answering.get(&(set, operator, is_reflected)) {
            return known.clone();
        }
        let types: Vec<Type> = self.types(asked).into_iter().collect();
        let is_crowd = types.len() > self.index.externals.catalog().holders.pooled;
        let objects = types.iter().filter(|ty| matches!(ty, Type::Instance { .. })).count();
        let found = types.into_iter().filter_map(|ty| self.type_answers(ty, operator, is_reflected));
        let types: Rc<[Type]> = found.collect();
        let is_meant = !is_crowd && types.len() >= objects;
        let found = Answering { types, is_meant, is_crowd };
        self.operations.answering.insert((set, operator, is_reflected), found.clone());
        found
    }

    fn type_answers(&mut self, ty: Type, operator: Operator, is_reflected: bool) -> Option<Type> {
        match ty {
            // Objects that are called are callees like any other.
            Type::Instance { .. } if operator == Operator::Call || is_of_class(operator) => None,
            Type::Class { class, .. } if operator == Operator::FindMember => {
                let is_one = self.hierarchy.is_enumeration(class);
                self.answer_of(class, operator, is_reflected).filter(|_| is_one).map(|_| ty)
            }
            Type::Instance { .. } | Type::Class { .. } => {
                let class = self.asked_class(ty, operator)?;
                self.has_answer(class, operator, is_reflected).then_some(ty)
            }
            _ => None,
        }
    }

    /// The class whose methods answer for a value: of a class, mostly that of its metaclass.
    fn asked_class(&self, ty: Type, operator: Operator) -> Option<Cls> {
        // The value of a type without fields is written as the type; a path through a type reads nothing.
        let is_value = operator != Operator::FindAttribute;
        match ty {
            Type::Instance { class, .. } => Some(class),
            Type::Class { class, .. }
                if is_of_class(operator) || is_value && self.has_wrappers(self.index.class_body(class)) =>
            {
                Some(class)
            }
            Type::Class { class, .. } => self.hierarchy.metaclass(class),
            _ => None,
        }
    }

    /// The name of the method that a class has for an operation.
    pub(super) fn answer_of(
        &mut self,
        class: Cls,
        operator: Operator,
        is_reflected: bool,
    ) -> Option<&'static str> {
        let key = (class, operator, is_reflected);
        if let Some(&known) = self.operations.methods.get(&key) {
            return known;
        }
        let body = self.index.class_body(class);
        let profile = self.index.units[self.index.file_of(body)].facts.profile();
        let is_own = |name: &&&str| {
            let name = self.index.names.get(name);
            name.is_some_and(|name| self.hierarchy.class_attr(self.index, class, name).is_some())
        };
        let found = names(profile, operator, is_reflected).iter().find(is_own).copied();
        self.operations.methods.insert(key, found);
        found
    }

    fn ask_object(&mut self, id: OperationId, object: Type) {
        let Operation { func, at, operator, is_reflected, .. } = self.operations.list[id.0 as usize];
        let (Type::Instance { class, exact } | Type::Class { class, exact }) = object else { return };
        let facts = self.index.units[self.index.file_of(func)].facts;
        // Who has the attribute is not asked to find it.
        if operator == Operator::FindAttribute
            && matches!(*facts.expr(at), Expr::Field { name, .. } if self.has_itself(class, exact, name))
        {
            return;
        }
        // Who has the method itself is called by its name.
        if let Expr::Field { name, .. } = *facts.expr(at)
            && matches!(operator, Operator::SetIndex | Operator::DeleteIndex)
            && self.hierarchy.class_attr(self.index, class, name).is_some()
        {
            return;
        }
        let Some(asked) = self.asked_class(object, operator) else { return };
        let name = self.answer_of(asked, operator, is_reflected);
        if is_reflected {
            self.ask_second(id, class, operator, object);
        } else if name.is_none() {
            self.ask_parts(id, class, operator);
        }
        // The call of a method is written; a type that is wanted is asked by the name of a trait.
        let is_wanted = operator == Operator::Default && matches!(object, Type::Instance { .. });
        let is_written = |name: &str| {
            matches!(operator, Operator::Copy | Operator::Default)
                && !is_wanted
                && facts.written_name(at).is_some_and(|it| facts.str(it) == name)
        };
        let name = name.filter(|name| !is_written(name)).and_then(|name| self.index.names.get(name));
        if let Some(name) = name {
            self.ask_method(id, (object, asked), name);
        }
    }

    /// A method answers: it is given the other operands, and what it hands back is the result.
    pub(super) fn answered(&mut self, id: OperationId, method: Type, object: Type) {
        let (target, skip) = match method {
            Type::Bound(target) => (target, 1),
            Type::Function(target) => (target, u32::from(matches!(object, Type::Class { .. }))),
            _ => return,
        };
        let (Type::Instance { class, exact } | Type::Class { class, exact }) = object else { return };
        let Operation { func, at, operator, given, to, is_meant, .. } = self.operations.list[id.0 as usize];
        if given[0].is_some_and(|given| self.is_for_another(func, target, (operator, given))) {
            return;
        }
        let answers = &mut self.operations.list[id.0 as usize].answers;
        if !answers.contains(&(target, class, exact)) {
            answers.push((target, class, exact));
        }
        if !is_meant {
            return;
        }
        if let Some(to) = to {
            self.hand_back(target, object, to);
        }
        if !self.operations.answered.insert((id, target)) {
            return;
        }
        if operator == Operator::Iterate {
            // Each element is asked of what hands them out.
            let iterator = self.new_slot();
            self.hand_back(target, object, iterator);
            let asked = Value::In(iterator);
            self.operations.list.push(Operation::new(func, at, Operator::Next, asked, [None; 2], None));
        }
        // What is handed on is the error, which nobody follows.
        if operator != Operator::Try && !self.is_test_into_production(func, target) {
            for (at, value) in (skip..).zip(given.into_iter().flatten()) {
                let value = self.value(func, value);
                if value != Value::Nothing {
                    self.pass(target, at, value.handed());
                }
            }
        }
    }

    fn hand_back(&mut self, method: Func, object: Type, to: Slot) {
        if self.index.ir(method).is_generator {
            self.insert(to, Type::Generator(method));
        }
        self.copy(Value::In(self.returned(method)), to);
        if self.hands_back.is_own(method) {
            self.insert(to, object);
        }
    }
}

/// What a class is asked itself: `raise Failure` makes one, and a class with parameters says what it is with them.
fn is_of_class(operator: Operator) -> bool {
    use Operator::{Construct, FindMember, IndexClass, Subclass, SubclassHook};
    matches!(operator, Construct | FindMember | IndexClass | Subclass | SubclassHook)
}

fn names(profile: &LanguageProfile, operator: Operator, is_reflected: bool) -> &'static [&'static str] {
    if is_reflected { profile.reflected(operator) } else { profile.methods(operator) }
}

impl Pass<'_, '_, '_> {
    /// Operations that classes of the project answer.
    pub(super) fn operations(&mut self) {
        let operations = std::mem::take(&mut self.solver.operations.list);
        // In a crowd nearly everything has a text or a truth: nobody says that such an object is meant.
        for operation in operations.into_iter().filter(|operation| !operation.is_crowd) {
            let confidence = match operation.answers[..] {
                [_] => Confidence::High,
                _ => Confidence::Medium,
            };
            for (target, class, exact) in operation.answers {
                let receiver = if exact { Receiver::Exact(class) } else { Receiver::Within(class) };
                let why = Why { receiver, ..Why::new(Rung::Type, confidence) };
                self.edge(operation.func, operation.at, Target::Project(target), why);
            }
        }
    }
}

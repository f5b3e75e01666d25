//! What a variable can hold at a place: one definition, a choice of values, or nothing. A choice joins the webs of what it
//! chooses from only if somebody looks at it.

/// Indexes `Values`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Value(u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Unbound,
    Definition,
    Choice { is_used: bool },
}

/// All values of one function.
pub(super) struct Values {
    kinds: Vec<Kind>,
    /// By value, the tracked variable that holds it.
    variables: Vec<u32>,
    parents: Vec<u32>,
    /// A choice and one of the values it chooses from.
    edges: Vec<(Value, Value)>,
    /// By choice, where its edges are once they are sorted.
    starts: Option<Vec<u32>>,
}

impl Values {
    /// The first values stand for variables that are not bound.
    pub fn new(variables: usize) -> Self {
        let count = variables as u32;
        Self {
            kinds: vec![Kind::Unbound; variables],
            variables: (0..count).collect(),
            parents: (0..count).collect(),
            edges: Vec::new(),
            starts: None,
        }
    }

    pub fn unbound(variable: u32) -> Value {
        Value(variable)
    }

    pub fn define(&mut self, variable: u32) -> Value {
        self.add(variable, Kind::Definition)
    }

    pub fn choice(&mut self, variable: u32) -> Value {
        self.add(variable, Kind::Choice { is_used: false })
    }

    pub fn choose_from(&mut self, choice: Value, value: Value) {
        if choice != value {
            self.edges.push((choice, value));
        }
    }

    /// One value for several.
    pub fn join(&mut self, variable: u32, values: &[Value]) -> Value {
        match values {
            [] => Self::unbound(variable),
            [first, rest @ ..] if rest.iter().all(|value| value == first) => *first,
            _ => {
                let choice = self.choice(variable);
                values.iter().for_each(|&value| self.choose_from(choice, value));
                choice
            }
        }
    }

    /// By variable, all its definitions as one value.
    pub fn all_definitions(&mut self, variables: usize) -> Vec<Value> {
        let mut all = vec![Vec::new(); variables];
        for value in self.definitions() {
            all[self.variable(value) as usize].push(value);
        }
        (0..).zip(all).map(|(variable, values)| self.join(variable, &values)).collect()
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn variable(&self, value: Value) -> u32 {
        self.variables[value.0 as usize]
    }

    pub fn definitions(&self) -> impl Iterator<Item = Value> + use<> {
        let is_definition =
            |(index, kind): (usize, &Kind)| (*kind == Kind::Definition).then_some(Value(index as u32));
        self.kinds.iter().enumerate().filter_map(is_definition).collect::<Vec<_>>().into_iter()
    }

    /// Says that somebody looks at a value: all that it can be is one web.
    pub fn mark(&mut self, value: Value) {
        self.sort_edges();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let Kind::Choice { is_used: is_used @ false } = &mut self.kinds[value.0 as usize] else {
                continue;
            };
            *is_used = true;
            let starts = self.starts.as_deref().unwrap_or_default();
            let range = starts[value.0 as usize] as usize..starts[value.0 as usize + 1] as usize;
            for at in range {
                let (_, inner) = self.edges[at];
                if self.kinds[inner.0 as usize] != Kind::Unbound {
                    self.unite(value, inner);
                    open.push(inner);
                }
            }
        }
    }

    /// The number of the web.
    pub fn root(&mut self, value: Value) -> usize {
        let mut at = value.0;
        while self.parents[at as usize] != at {
            let above = self.parents[at as usize];
            self.parents[at as usize] = self.parents[above as usize];
            at = above;
        }
        at as usize
    }

    fn unite(&mut self, one: Value, other: Value) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other) as u32;
    }

    fn add(&mut self, variable: u32, kind: Kind) -> Value {
        let value = Value(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.variables.push(variable);
        self.parents.push(value.0);
        value
    }

    fn sort_edges(&mut self) {
        if self.starts.is_some() {
            return;
        }
        self.edges.sort_unstable();
        let mut starts = Vec::with_capacity(self.kinds.len() + 1);
        let mut at = 0;
        for value in 0..=self.kinds.len() as u32 {
            while self.edges.get(at).is_some_and(|(choice, _)| choice.0 < value) {
                at += 1;
            }
            starts.push(at as u32);
        }
        self.starts = Some(starts);
    }
}

//! Forms of statements and declarations of which one function, one call or one module has very many.

use super::{Files, HEAD, doubles_three_times, each, grows_with_its_size, module};

/// `line` for each number, inside a tool.
fn tool(head: &str, size: usize, line: &str) -> Files {
    let lines = each(size, |at| format!("{}\n", line.replace("{N}", &at.to_string())));
    let body = lines.lines().fold(String::new(), |body, line| body + "    " + line + "\n");
    let head = format!("{HEAD}from langchain.tools import tool\n\n{head}\n\n@tool\n");
    module(format!(
        "{head}def plan_trip(a, b, x, items):\n    \"\"\"Plans.\"\"\"\n    r = {{}}\n{body}    return x\n"
    ))
}

#[test]
fn long_functions() {
    let known = "KNOWN = {'a', 'b'}\n";
    for (size, head, line) in [
        (250, "", "v{N} = a.get('k{N}', b)\nif v{N}:\n    r['k{N}'] = requests.get(v{N})"),
        (250, known, "if a.f{N} not in KNOWN:\n    raise ValueError(b)\nrequests.get(a.f{N})"),
        (250, known, "u{N} = set(a.f{N}) - KNOWN\nif u{N}:\n    raise ValueError(b)"),
        (250, "", "if a != 'k{N}':\n    raise ValueError(b)"),
        (250, "", "if any(y == b for y in items):\n    return a"),
        (250, "", "match a:\n    case 'k{N}':\n        x = b\n    case _:\n        x = a"),
    ] {
        grows_with_its_size(size, |size| tool(head, size, line));
    }
}

#[test]
fn long_ladders() {
    for body in ["x = requests.get(b)", "return requests.get(b)"] {
        grows_with_its_size(1000, |size| {
            let arms = each(size, |at| format!("    elif a == 'k{at}':\n        {body}\n"));
            module(format!(
                "{HEAD}def plan_trip(a, b, x):\n    if a == 'z':\n        pass\n{arms}    return x\n"
            ))
        });
    }
}

#[test]
fn long_lists_of_arguments() {
    let list = |size, item: &str| each(size, |at| item.replace("{N}", &at.to_string()));
    for (params, argument) in [("*all", "a, "), ("**all", "k{N}=a, "), ("", "p{N}, "), ("", "p{N}=p{N}, ")] {
        doubles_three_times(1000, |size| {
            let own = list(size, "p{N}, ");
            let params = if params.is_empty() { own.as_str() } else { params };
            let arguments = list(size, argument);
            let callee = format!("def ask({params}):\n    return requests.get('x')\n\n\n");
            module(format!("{HEAD}{callee}def plan_trip({own}a):\n    return ask({arguments})\n"))
        });
    }
}

/// Each call comes back to who made it.
#[test]
fn many_calls_of_one_constructor() {
    doubles_three_times(1500, |size| {
        let class = "class K:\n    def __init__(self, a):\n        self.a = a\n\n    def go(self, x):\n        return requests.get(self.a)\n\n\n";
        tool(class, size, "o{N} = K(a)\no{N}.go(x)")
    });
}

#[test]
fn many_subclasses_with_an_attribute_of_their_own() {
    doubles_three_times(400, |size| {
        let base = "class Base:\n    def __init__(self, x):\n        self.x = x\n\n\n";
        let init = "    def __init__(self, x):\n        super().__init__(x)\n        self.y = x\n\n\n";
        module(format!("{HEAD}{base}{}", each(size, |at| format!("class C{at}(Base):\n{init}"))))
    });
}

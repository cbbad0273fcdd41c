//! Rules that choose operations, as far as they can be judged before there are any.

use super::Faults;
use crate::config::file::File;

pub(super) fn check(file: &File, faults: &mut Faults) {
    for (setting, rules) in [
        ("tools.include", &file.tools.include),
        ("tools.exclude", &file.tools.exclude),
        ("confirm.rules", &file.confirm.rules),
    ] {
        for (index, rule) in rules.iter().enumerate() {
            let fault = rule.fault();
            let fault = fault.map(|fault| format!("{setting}[{index}].{fault}"));
            faults.0.extend(fault);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_do_not_exist_are_faults() {
        let text = "tools: {include: [{methods: [get]}], exclude: [{methods: [FETCH]}]}\nconfirm: {rules: [{}, {methods: [DELETE, REMOVE]}]}";
        let mut faults = Faults::default();
        check(&File::parse(text).unwrap(), &mut faults);
        let [exclude, confirm] = faults.0.as_slice() else {
            panic!("{:?}", faults.0);
        };
        assert!(exclude.starts_with("tools.exclude[0].methods: `FETCH` is not"));
        assert!(exclude.contains("expected one of GET, PUT, POST, DELETE"));
        assert!(confirm.starts_with("confirm.rules[1].methods: `REMOVE` is not"));
    }
}

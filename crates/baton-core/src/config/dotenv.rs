//! `.env`: a variable in each line.
//!
//! `NAME=value`, with `export ` before it if one likes. Text after ` #` is a comment unless it is quoted; single quotes
//! keep everything as it is; double quotes know `\n`, `\t`, `\"`, `\\` and `\$`. Deliberately absent: values over
//! several lines, and variables within values, because what others read from the file must be what we read.

/// A variable of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, without quotes.
    pub value: String,
    /// The line it is on, from 1.
    pub line: usize,
}

/// A line that cannot be read: its number, and what is wrong with it.
pub type BadLine = (usize, &'static str);

/// Reads the file. Of a variable that is set twice, the last value is the one that counts.
pub fn parse(text: &str) -> Result<Vec<Variable>, BadLine> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let meant = numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    meant.map(|(line, text)| variable(line, text).map_err(|problem| (line, problem))).collect()
}

/// Returns the value of a variable.
pub fn find<'a>(variables: &'a [Variable], name: &str) -> Option<&'a Variable> {
    variables.iter().rev().find(|variable| variable.name == name)
}

fn variable(line: usize, text: &str) -> Result<Variable, &'static str> {
    let text = text.strip_prefix("export ").unwrap_or(text);
    let (name, value) = text.split_once('=').ok_or("write NAME=value; there is no `=`")?;
    let name = name.trim();
    if !is_name(name) {
        return Err("the name before `=` may have letters, digits and `_`, and does not start with a digit");
    }
    Ok(Variable { name: name.to_owned(), value: value_of(value.trim())?, line })
}

fn is_name(name: &str) -> bool {
    name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn value_of(text: &str) -> Result<String, &'static str> {
    match text.chars().next() {
        Some('\'') => single_quoted(&text[1..]),
        Some('"') => double_quoted(&text[1..]),
        Some('#') | None => Ok(String::new()),
        Some(_) => Ok(text.split(" #").next().unwrap_or(text).trim_end().to_owned()),
    }
}

fn single_quoted(text: &str) -> Result<String, &'static str> {
    let (value, rest) = text.split_once('\'').ok_or("the single quote is not closed on its line")?;
    check_rest(rest).map(|()| value.to_owned())
}

fn double_quoted(text: &str) -> Result<String, &'static str> {
    let (mut value, mut chars) = (String::new(), text.chars());
    loop {
        match chars.next().ok_or("the double quote is not closed on its line")? {
            '"' => return check_rest(chars.as_str()).map(|()| value),
            '\\' => value.push(escaped(chars.next())?),
            other => value.push(other),
        }
    }
}

fn escaped(letter: Option<char>) -> Result<char, &'static str> {
    match letter {
        Some('n') => Ok('\n'),
        Some('t') => Ok('\t'),
        Some(same @ ('"' | '\\' | '$')) => Ok(same),
        _ => Err(r#"after a backslash in double quotes comes one of n, t, ", \ and $"#),
    }
}

fn check_rest(rest: &str) -> Result<(), &'static str> {
    let rest = rest.trim();
    let is_fine = rest.is_empty() || rest.starts_with('#');
    if is_fine { Ok(()) } else { Err("there is text after the closing quote") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_read_with_and_without_quotes() {
        let table = [
            ("A=b", "b"),
            ("A = b c ", "b c"),
            ("export A=b", "b"),
            ("A=", ""),
            ("A= # nothing", ""),
            ("A=b # why", "b"),
            ("A=b#c", "b#c"),
            ("A='b # c' # why", "b # c"),
            (r"A='\n$X'", r"\n$X"),
            (r#"A="b\n\"c\" \\ \$" "#, "b\n\"c\" \\ $"),
            ("A=b=c", "b=c"),
            ("A=\"\"", ""),
            ("A=it's", "it's"),
            ("\u{feff}A=b", "b"),
        ];
        for (text, expected) in table {
            assert_eq!(parse(text).unwrap()[0].value, expected, "{text:?}");
        }
    }

    #[test]
    fn comments_and_empty_lines_say_nothing_and_lines_are_counted() {
        let variables = parse("# first\n\n  \nA=1\r\nB_2=2\n").unwrap();
        let lines: Vec<_> =
            variables.iter().map(|it| (it.name.as_str(), it.value.as_str(), it.line)).collect();
        assert_eq!(lines, [("A", "1", 4), ("B_2", "2", 5)]);
    }

    #[test]
    fn the_last_value_of_a_variable_counts() {
        let variables = parse("A=1\nA=2\n").unwrap();
        assert_eq!(find(&variables, "A").unwrap().value, "2");
        assert_eq!(find(&variables, "B"), None);
    }

    #[test]
    fn a_bad_line_is_told_by_its_number_and_not_repeated() {
        for text in ["A", "1A=b", "=b", "A B=c", "A='b", "A=\"b", "A='b'c", r#"A="\x""#, r#"A="b\"#] {
            let (line, problem) = parse(&format!("X=1\n{text}\n")).unwrap_err();
            assert_eq!(line, 2, "{text:?}");
            assert!(!problem.contains("A B"), "{problem}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_fail(text in "(.|\n|[='\"\\\\#]){0,60}") {
            let _ = parse(&text);
        }

        #[test]
        fn what_is_put_in_single_quotes_comes_out_as_it_is(value in "[^'\r\n]{0,30}") {
            prop_assert_eq!(&parse(&format!("A='{value}'")).unwrap()[0].value, &value);
        }
    }
}

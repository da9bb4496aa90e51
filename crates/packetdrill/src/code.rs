//! The code in `%{ }%`: assertions about `tcp_info` in a small part of Python. This module interprets it; no Python interpreter runs
//! it.
//!
//! Statements are `assert`, with or without a message, assignments to names, and `print`, which does nothing. Expressions have whole
//! numbers, names, comparisons, `and`, `or`, `not`, `+`, `-`, `*`, `//` and `%`.

use crate::packet::NotModelled;
use std::collections::BTreeMap;
use std::fmt;

/// A statement with its line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub line: usize,
    /// The statement as it is written, for messages.
    pub text: String,
    pub act: Act,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Assert(Expression),
    /// Assigns the value to the name.
    Set(String, Expression),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Number(i64),
    Name(String),
    Not(Box<Expression>),
    /// A binary operator and its two operands.
    Two(Operator, Box<Expression>, Box<Expression>),
    /// A chain of comparisons such as `a < b <= c`: each value is compared with its neighbour.
    Chain(Box<Expression>, Vec<(Operator, Expression)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    Differs,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

/// The binary operators that are written with signs. Longer signs come first, so that they are found before their beginnings.
const SIGNS: [(&str, Operator); 11] = [
    ("==", Operator::Equal),
    ("!=", Operator::Differs),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("//", Operator::Over),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("+", Operator::Plus),
    ("-", Operator::Minus),
    ("*", Operator::Times),
    ("%", Operator::Modulo),
];

/// Most tokens of a statement: no script needs more, and very many would overflow the stack.
const MOST_TOKENS: usize = 400;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    Name(String),
    /// A text in quotes. Its contents are part of a message and do not matter.
    Text,
    Sign(&'static str),
    End,
}

/// Writes a token as messages quote it.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(number) => write!(f, "`{number}`"),
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Text => f.write_str("a text"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::End => f.write_str("the end of a line"),
        }
    }
}

/// Returns the statements of `code`, whose first line is `line`; the error is the part of it that is not modelled.
pub(crate) fn parse(code: &str, line: usize) -> Result<Vec<Statement>, NotModelled> {
    let mut statements = Vec::new();
    for (line, text, tokens) in split(code, line)? {
        let mut parser = Parser { tokens: &tokens, at: 0 };
        if let Some(act) = parser.statement().map_err(|reason| more(&reason))? {
            statements.push(Statement { line, text, act });
        }
    }
    Ok(statements)
}

fn more(reason: &str) -> NotModelled {
    format!("more Python than assertions of whole numbers: {reason}")
}

/// Splits code into statements, each with its line, text and tokens.
fn split(code: &str, line: usize) -> Result<Vec<(usize, String, Vec<Token>)>, NotModelled> {
    let mut statements = Vec::new();
    let (mut rest, mut at, mut depth) = (code, line, 0_usize);
    let (mut tokens, mut text, mut start) = (Vec::new(), String::new(), line);
    while !rest.is_empty() {
        let (token, len) = token(rest).map_err(|reason| more(&reason))?;
        let read = &rest[..len];
        match &token {
            Some(Token::Sign("(")) => depth += 1,
            Some(Token::Sign(")")) => depth = depth.saturating_sub(1),
            _ => {}
        }
        match token {
            Some(Token::End) if depth > 0 => {}
            Some(Token::End) => {
                statements.push((start, text.trim().to_owned(), std::mem::take(&mut tokens)));
                text.clear();
            }
            Some(token) => {
                if tokens.is_empty() {
                    start = at;
                }
                tokens.push(token);
                text.push_str(read);
            }
            None if !read.starts_with('#') => text.push_str(read),
            None => {}
        }
        if tokens.len() > MOST_TOKENS {
            return Err(more("a statement is too long"));
        }
        at += read.matches('\n').count();
        rest = &rest[len..];
    }
    statements.push((start, text.trim().to_owned(), tokens));
    Ok(statements)
}

/// Returns the first token and its length; `None` in place of the token for white space or a comment.
fn token(text: &str) -> Result<(Option<Token>, usize), String> {
    let first = text.chars().next().unwrap_or(' ');
    let while_ = |wanted: fn(char) -> bool| text.find(|c| !wanted(c)).unwrap_or(text.len());
    if first == '\n' || first == ';' {
        return Ok((Some(Token::End), 1));
    }
    if first.is_whitespace() {
        return Ok((None, first.len_utf8()));
    }
    if first == '#' {
        return Ok((None, text.find('\n').unwrap_or(text.len())));
    }
    if first == '\'' || first == '"' {
        let mut escaped = false;
        for (at, c) in text.char_indices().skip(1) {
            match c {
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == first => return Ok((Some(Token::Text), at + 1)),
                _ => {}
            }
        }
        return Err("a text does not end".to_owned());
    }
    if first.is_ascii_alphanumeric() || first == '_' {
        let len = while_(|c| c.is_ascii_alphanumeric() || c == '_');
        let word = &text[..len];
        if !first.is_ascii_digit() {
            return Ok((Some(Token::Name(word.to_owned())), len));
        }
        let number = match word.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        let number = number.map_err(|_| format!("{word} is no whole number"))?;
        return Ok((Some(Token::Number(number)), len));
    }
    const OTHERS: [&str; 6] = ["+=", "-=", "=", "(", ")", ","];
    let signs = SIGNS.iter().map(|(sign, _)| *sign).filter(|sign| sign.len() == 2);
    let signs = signs.chain(OTHERS).chain(SIGNS.iter().map(|(sign, _)| *sign));
    let found = signs.into_iter().find(|sign| text.starts_with(sign));
    let sign = found.ok_or_else(|| format!("`{}`", first.escape_debug()))?;
    Ok((Some(Token::Sign(sign)), sign.len()))
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Parser<'_> {
    fn next(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.next(), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.next(), Some(Token::Name(next)) if next == word);
        self.at += usize::from(found);
        found
    }

    /// Takes the next token if it is one of the operators `wanted`.
    fn operator(&mut self, wanted: &[Operator]) -> Option<Operator> {
        let Some(Token::Sign(sign)) = self.next() else { return None };
        let found = SIGNS.iter().find(|(text, _)| text == sign).map(|(_, operator)| *operator);
        let found = found.filter(|operator| wanted.contains(operator));
        self.at += usize::from(found.is_some());
        found
    }

    fn statement(&mut self) -> Result<Option<Act>, String> {
        if self.tokens.is_empty() || self.eat_word("print") {
            return Ok(None);
        }
        let act = if self.eat_word("assert") {
            let expression = self.expression()?;
            if self.eat_sign(",") {
                // The rest of the statement is a message.
                self.at = self.tokens.len();
            }
            Act::Assert(expression)
        } else {
            self.assignment()?
        };
        match self.next() {
            None => Ok(Some(act)),
            Some(token) => Err(format!("{token} after a statement")),
        }
    }

    fn assignment(&mut self) -> Result<Act, String> {
        let Some(Token::Name(name)) = self.next().cloned() else {
            let first = self.next().unwrap_or(&Token::End);
            return Err(format!("{first} at the start of a statement"));
        };
        self.at += 1;
        let value = |parser: &mut Self, operator| -> Result<Expression, String> {
            let two = (Expression::Name(name.clone()), parser.expression()?);
            Ok(Expression::Two(operator, Box::new(two.0), Box::new(two.1)))
        };
        let value = if self.eat_sign("=") {
            self.expression()?
        } else if self.eat_sign("+=") {
            value(self, Operator::Plus)?
        } else if self.eat_sign("-=") {
            value(self, Operator::Minus)?
        } else {
            return Err(format!("`{name}` at the start of a statement"));
        };
        Ok(Act::Set(name, value))
    }

    fn expression(&mut self) -> Result<Expression, String> {
        let mut left = self.conjunction()?;
        while self.eat_word("or") {
            left = Expression::Two(Operator::Or, Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expression, String> {
        let mut left = self.negation()?;
        while self.eat_word("and") {
            left = Expression::Two(Operator::And, Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expression, String> {
        if self.eat_word("not") {
            return Ok(Expression::Not(Box::new(self.negation()?)));
        }
        const COMPARE: [Operator; 6] = [
            Operator::Equal,
            Operator::Differs,
            Operator::Less,
            Operator::AtMost,
            Operator::Greater,
            Operator::AtLeast,
        ];
        let first = self.sum()?;
        let mut chain = Vec::new();
        while let Some(operator) = self.operator(&COMPARE) {
            chain.push((operator, self.sum()?));
        }
        Ok(if chain.is_empty() { first } else { Expression::Chain(Box::new(first), chain) })
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&[Operator::Plus, Operator::Minus]) {
            left = Expression::Two(operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator(&[Operator::Times, Operator::Over, Operator::Modulo]) {
            left = Expression::Two(operator, Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        if self.operator(&[Operator::Minus]).is_some() {
            let zero = Box::new(Expression::Number(0));
            return Ok(Expression::Two(Operator::Minus, zero, Box::new(self.unary()?)));
        }
        if self.eat_sign("(") {
            let inner = self.expression()?;
            return if self.eat_sign(")") { Ok(inner) } else { Err("a `(` without `)`".to_owned()) };
        }
        let token = self.next().cloned();
        self.at += 1;
        match token {
            Some(Token::Number(number)) => Ok(Expression::Number(number)),
            Some(Token::Name(name))
                if ["and", "or", "not", "in", "is", "lambda", "if", "else"].contains(&&*name) =>
            {
                Err(format!("`{name}` where a value belongs"))
            }
            Some(Token::Name(name)) => Ok(Expression::Name(name)),
            Some(token) => Err(format!("{token} where a value belongs")),
            None => Err("a value is missing".to_owned()),
        }
    }
}

impl Expression {
    /// Adds the names that the expression uses to `found`.
    pub fn names<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Expression::Number(_) => {}
            Expression::Name(name) => found.push(name),
            Expression::Not(inner) => inner.names(found),
            Expression::Two(_, left, right) => {
                left.names(found);
                right.names(found);
            }
            Expression::Chain(first, rest) => {
                first.names(found);
                rest.iter().for_each(|(_, next)| next.names(found));
            }
        }
    }

    /// Returns the value of the expression with these values of `names`; true is 1.
    pub fn value(&self, names: &BTreeMap<String, i64>) -> Result<i64, String> {
        match self {
            Expression::Number(number) => Ok(*number),
            Expression::Name(name) => {
                names.get(name).copied().ok_or_else(|| format!("`{name}` has no value"))
            }
            Expression::Not(inner) => Ok(i64::from(inner.value(names)? == 0)),
            Expression::Two(Operator::And, left, right) => {
                let left = left.value(names)?;
                if left == 0 { Ok(left) } else { right.value(names) }
            }
            Expression::Two(Operator::Or, left, right) => {
                let left = left.value(names)?;
                if left != 0 { Ok(left) } else { right.value(names) }
            }
            Expression::Two(operator, left, right) => {
                let (left, right) = (left.value(names)?, right.value(names)?);
                operator
                    .apply(left, right)
                    .ok_or_else(|| format!("not a whole number: {left} {operator} {right}"))
            }
            Expression::Chain(first, rest) => {
                let mut left = first.value(names)?;
                for (operator, next) in rest {
                    let right = next.value(names)?;
                    if operator.apply(left, right) != Some(1) {
                        return Ok(0);
                    }
                    left = right;
                }
                Ok(1)
            }
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Or => "or",
            Operator::And => "and",
            signed => SIGNS.iter().find(|(_, operator)| operator == signed).map_or("", |(sign, _)| sign),
        })
    }
}

impl Operator {
    fn apply(self, left: i64, right: i64) -> Option<i64> {
        let floor = |(quotient, remainder): (i64, i64)| {
            let below = remainder != 0 && (remainder < 0) != (right < 0);
            (quotient - i64::from(below), if below { remainder + right } else { remainder })
        };
        let divided = || Some(floor((left.checked_div(right)?, left.checked_rem(right)?)));
        match self {
            Operator::Or => Some(i64::from(left != 0 || right != 0)),
            Operator::And => Some(i64::from(left != 0 && right != 0)),
            Operator::Equal => Some(i64::from(left == right)),
            Operator::Differs => Some(i64::from(left != right)),
            Operator::Less => Some(i64::from(left < right)),
            Operator::AtMost => Some(i64::from(left <= right)),
            Operator::Greater => Some(i64::from(left > right)),
            Operator::AtLeast => Some(i64::from(left >= right)),
            Operator::Plus => left.checked_add(right),
            Operator::Minus => left.checked_sub(right),
            Operator::Times => left.checked_mul(right),
            Operator::Over => Some(divided()?.0),
            Operator::Modulo => Some(divided()?.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i64, String> {
        let names = BTreeMap::from([("tcpi_snd_cwnd".to_owned(), 10)]);
        let statements = parse(&format!("assert {text}"), 1)?;
        let Act::Assert(expression) = &statements[0].act else { panic!("no assertion") };
        expression.value(&names)
    }

    #[test]
    fn values_are_those_of_python() {
        for (text, wanted) in [
            ("tcpi_snd_cwnd == 10, 'cwnd=%d' % tcpi_snd_cwnd", 1),
            ("1 + 2 * 3 == 7 and not 5 < 4", 1),
            ("-7 // 2", -4),
            ("-7 % 3", 2),
            ("7 % -3", -2),
            ("0x10 - 2 - 1", 13),
            ("(tcpi_snd_cwnd +\n 1) * 2", 22),
            ("8 <= tcpi_snd_cwnd < 10", 0),
            ("0 or 4", 4),
        ] {
            assert_eq!(value(text), Ok(wanted), "{text}");
        }
        assert!(value("1 // 0").is_err() && value("tcpi_none").is_err());
    }

    #[test]
    fn statements_stand_on_lines_or_behind_semicolons() {
        let statements =
            parse("\ncwnd = 58; print(cwnd)  # a note\nassert cwnd == 58\ncwnd += 1\n", 7).unwrap();
        let lines: Vec<_> = statements.iter().map(|statement| (statement.line, &*statement.text)).collect();
        assert_eq!(lines, [(8, "cwnd = 58"), (9, "assert cwnd == 58"), (10, "cwnd += 1")]);
    }

    #[test]
    fn other_python_is_not_run() {
        for code in [
            "import os",
            "os.system('true')",
            "assert f(1)",
            "x = [1]",
            "assert (1",
            "assert 1.5",
            "assert 'a",
        ] {
            assert!(parse(code, 1).is_err(), "{code}");
        }
        let said = |code| parse(code, 1).unwrap_err();
        assert!(said("assert 2 ** 3").ends_with("`*` where a value belongs"), "{}", said("assert 2 ** 3"));
        assert!(said("= 1").ends_with("`=` at the start of a statement"), "{}", said("= 1"));
        assert!(said("assert 1 2").ends_with("`2` after a statement"), "{}", said("assert 1 2"));
        assert_eq!(
            value("9223372036854775807 + 1").unwrap_err(),
            "not a whole number: 9223372036854775807 + 1"
        );
        assert!(parse(&format!("assert {}1", "(".repeat(100_000)), 1).is_err());
    }
}

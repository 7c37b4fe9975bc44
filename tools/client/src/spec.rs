//! Engines on the command line.

use std::path::PathBuf;

/// What the name of an option is preceded by.
const OPTION: &str = "option.";

/// How an engine is started and set up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// Its name in reports; as it names itself if `None`.
    pub name: Option<String>,
    /// The program; empty if no command is given.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it runs in, if not the current one.
    pub folder: Option<PathBuf>,
    /// UCI options with their values, in the order given.
    pub options: Vec<(String, String)>,
}

impl Spec {
    /// The value given for an option; UCI ignores the case of names.
    pub fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads `name=N,cmd=C,args=A,dir=D,option.O=V`, as fastchess names these, or a bare command with
/// its arguments. A comma that no such key follows belongs to the value before it.
///
/// # Errors
/// The mistake, as text.
pub fn spec(text: &str) -> Result<Spec, String> {
    let (mut spec, mut command, mut args) = (Spec::default(), None, Vec::new());
    for (key, value) in pairs(text) {
        match key {
            "name" => spec.name = Some(value).filter(|name| !name.trim().is_empty()),
            "cmd" => command = Some(value),
            "args" => args = words(&value)?,
            "dir" => spec.folder = Some(value.into()),
            "" => {
                // A bare command is split as a shell does.
                let mut words = words(&value)?.into_iter();
                command = words.next();
                args = words.collect();
            }
            option => spec.options.push((option[OPTION.len()..].trim().to_owned(), value)),
        }
    }
    spec.program = command.unwrap_or_default().trim().to_owned();
    spec.args = args;
    if spec.options.iter().any(|(name, _)| name.is_empty()) {
        return Err("an option without a name".into());
    }
    Ok(spec)
}

/// Splits a text into keys and values; a bare command has an empty key.
fn pairs(text: &str) -> Vec<(&str, String)> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for piece in text.split(',') {
        let keyed = piece.split_once('=').map(|(key, value)| (key.trim(), value));
        let keyed = keyed.filter(|(key, _)| {
            ["name", "cmd", "args", "dir"].contains(key) || key.starts_with(OPTION)
        });
        match (keyed, pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((key, value.to_owned())),
            (None, Some((_, value))) => *value += &format!(",{piece}"),
            (None, None) => pairs.push(("", piece.to_owned())),
        }
    }
    pairs
}

fn words(text: &str) -> Result<Vec<String>, String> {
    shell_words::split(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_given_as_fastchess_has_it() {
        let found = spec("name=SF,cmd=/usr/games/stockfish,option.Hash=256").unwrap();
        assert_eq!(found.name.as_deref(), Some("SF"));
        assert_eq!(
            (&found.program[..], found.option("hash")),
            ("/usr/games/stockfish", Some("256"))
        );
        let found =
            spec("cmd=a b,args=-x 'y z',dir=/tmp,option.Skill Level=3,4,option.B=").unwrap();
        assert_eq!(
            (&found.program[..], &found.args[..]),
            ("a b", &["-x".into(), "y z".into()][..])
        );
        assert_eq!((found.option("Skill Level"), found.option("b")), (Some("3,4"), Some("")));
        assert_eq!(found.folder, Some("/tmp".into()));
    }

    #[test]
    fn a_bare_command_is_split_as_a_shell_does() {
        let found = spec("./heddle uci 'a b,c' d=e").unwrap();
        assert_eq!(found.program, "./heddle");
        assert_eq!(found.args, ["uci", "a b,c", "d=e"]);
        assert_eq!((found.name, found.folder, found.options), (None, None, Vec::new()));
    }

    #[test]
    fn a_command_may_be_missing() {
        for text in ["", "name=X", "cmd=", "option.Hash=2"] {
            assert_eq!(spec(text).unwrap().program, "", "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, said) in
            [("cmd=x,option.=2", "an option without a name"), ("'x", "missing closing quote")]
        {
            assert_eq!(spec(text), Err(said.to_owned()), "{text}");
        }
    }
}

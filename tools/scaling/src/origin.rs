//! Where a report comes from.

use std::env;

use git_version::git_version;
use jiff::Timestamp;
use serde::Serialize;

/// What it takes to make a report again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Origin {
    /// The commit that the program was built from, or `unknown` outside a repository.
    pub commit: String,
    /// The command, as a shell takes it.
    pub command: String,
    /// Date and time of the first search.
    pub date: String,
}

impl Origin {
    /// This command of `heddle`, its arguments and this moment. Its name is the first word if this
    /// program has all tools.
    pub fn here(name: &str) -> Self {
        const COMMIT: &str = git_version!(
            args = ["--always", "--abbrev=9", "--exclude=*", "--dirty=, modified"],
            fallback = "unknown"
        );
        let words = env::args_os().skip(1).skip_while(|word| word == name);
        let arguments = words.map(|word| word.to_string_lossy().into_owned());
        Self {
            commit: COMMIT.to_owned(),
            command: command(name, arguments),
            date: Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
        }
    }
}

fn command(name: &str, arguments: impl Iterator<Item = String>) -> String {
    shell_words::join(["heddle", name].map(str::to_owned).into_iter().chain(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_pasted_into_a_shell() {
        let words = ["--threads", "1,2", "--html", "my page.html"].map(str::to_owned);
        let pasted = command("scaling", words.into_iter());
        assert_eq!(pasted, "heddle scaling --threads 1,2 --html 'my page.html'");
    }

    #[test]
    fn a_date_is_in_universal_time() {
        let Origin { date, commit, .. } = Origin::here("scaling");
        assert!(date.ends_with(" UTC") && date.starts_with("20"), "{date}");
        assert!(!commit.is_empty());
    }
}

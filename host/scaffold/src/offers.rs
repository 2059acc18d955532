//! Which templates there are: one for each role that a plugin may have in a service.
use crate::{Problem, Template, template};

/// A template, and what is made of it.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// The service's name.
    pub service: &'static str,
    /// `provide`, `join` or `wrap`.
    pub role: &'static str,
    /// The crate.
    pub template: Template,
}

/// What [`offer`] finds.
pub const OFFERS: [Offer; 9] = [
    Offer {
        service: "llm",
        role: "provide",
        template: template!("template-llm" in "../templates/llm":
            "Cargo.toml", "src/lib.rs", "src/endpoint.rs", "src/request.rs", "src/response.rs", "src/failure.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore",
            "tests/it/main.rs", "tests/it/requests.rs", "tests/it/responses.rs", "tests/it/server.rs"),
    },
    Offer {
        service: "llm",
        role: "wrap",
        template: template!("template-llm-wrap" in "../templates/llm-wrap":
            "Cargo.toml", "src/lib.rs", "src/llm.rs", "src/timed.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
    Offer {
        service: "tools",
        role: "provide",
        template: template!("template-tools" in "../templates/tools":
            "Cargo.toml", "src/lib.rs", "src/schemas.rs", "src/files.rs", "src/root.rs", "src/shell.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
    Offer {
        service: "tools",
        role: "join",
        template: template!("template-tools-join" in "../templates/tools-join":
            "Cargo.toml", "src/lib.rs", "src/count.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
    Offer {
        service: "tools",
        role: "wrap",
        template: template!("template-tools-wrap" in "../templates/tools-wrap":
            "Cargo.toml", "src/lib.rs", "src/rule.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
    Offer {
        service: "turn-policy",
        role: "provide",
        template: template!("template-turn-policy" in "../templates/turn-policy":
            "Cargo.toml", "src/lib.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
    Offer {
        service: "turn-policy",
        role: "wrap",
        template: template!("template-turn-policy-wrap" in "../templates/turn-policy-wrap":
            "Cargo.toml", "src/lib.rs", "src/reminder.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
    Offer {
        service: "loop",
        role: "provide",
        template: template!("template-loop" in "../templates/loop":
            "Cargo.toml", "src/lib.rs", "src/turn.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
    Offer {
        service: "loop",
        role: "wrap",
        template: template!("template-loop-wrap" in "../templates/loop-wrap":
            "Cargo.toml", "src/lib.rs", "src/noted.rs",
            "config.schema.json", "README.md", "try.patch.yml", ".gitignore", "tests/it/main.rs"),
    },
];

/// The template of a role in a service.
///
/// # Errors
/// `NO_TEMPLATE`, with those there are.
pub fn offer(service: &str, role: &str) -> Result<&'static Offer, Problem> {
    let found = OFFERS.iter().find(|offer| (offer.service, offer.role) == (service, role));
    found.ok_or_else(|| {
        let what = format!("there is no template that {role}s `{service}`");
        let mut services: Vec<&str> = OFFERS.iter().map(|offer| offer.service).collect();
        services.dedup();
        let roles = |service: &&str| {
            let offers = OFFERS.iter().filter(|offer| offer.service == *service);
            let roles: Vec<&str> = offers.map(|offer| offer.role).collect();
            format!("{service} ({})", roles.join(", "))
        };
        let all: Vec<String> = services.iter().map(roles).collect();
        Problem::new("NO_TEMPLATE", what, format!("take one of {}", all.join(", ")))
    })
}

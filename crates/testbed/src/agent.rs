//! A scripted agent: speaks MCP to `surehand mcp` over its standard streams, one JSON object a line, and reads what a
//! model would read. It shares no code with the server.

use crate::{DesktopError, PrivateDesktop, bounds, process_table};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    ffi::OsStr,
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

/// The protocol revision the agent asks for.
pub const PROTOCOL_REVISION: &str = "2025-06-18";

/// The server did not do its part.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The server could not be started.
    #[error("the server could not be started")]
    Start(#[from] DesktopError),
    /// Its streams broke.
    #[error("the server's streams are broken")]
    Stream(#[from] io::Error),
    /// It went away before it answered.
    #[error("the server went away")]
    Gone,
    /// It did not answer in time.
    #[error("no answer within {} ms", .0.as_millis())]
    Silent(Duration),
    /// It answered with an error of the protocol.
    #[error("the protocol's error {code}")]
    Protocol {
        /// The protocol's number.
        code: i64,
    },
    /// It answered in another shape.
    #[error("the answer has another shape: {0}")]
    Shape(&'static str),
}

/// A client that is connected to one server process.
#[derive(Debug)]
pub struct Agent {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    answers: HashMap<u64, Value>,
    next_id: u64,
    initialized_in: Duration,
}

/// A call that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending(u64);

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct ToolAnswer {
    /// What the model reads.
    pub text: String,
    /// What programs read.
    pub structured: Option<Value>,
    /// The picture's bytes as the protocol carries them, in base 64.
    pub picture: Option<String>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}

impl Agent {
    /// Starts `PROGRAM mcp` on the desktop, as its user, and greets it.
    ///
    /// # Errors
    /// It cannot be started, or does not greet back.
    pub fn start(desktop: &PrivateDesktop, program: impl AsRef<OsStr>) -> Result<Self, AgentError> {
        let began = Instant::now();
        let mut process = desktop
            .command(program)?
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or(AgentError::Gone)?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // A line that is no JSON is nothing but an error of the server: the agent then hears silence.
                let Ok(value) = serde_json::from_str(&line) else { return };
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let mut agent =
            Self { process, input, lines, answers: HashMap::new(), next_id: 1, initialized_in: Duration::ZERO };
        let greeting = json!({
            "protocolVersion": PROTOCOL_REVISION,
            "capabilities": {},
            "clientInfo": { "name": "scripted agent", "version": "1" },
        });
        let pending = agent.request("initialize", greeting)?;
        agent.result(pending, bounds::AGENT_ANSWER)?;
        agent.initialized_in = began.elapsed();
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(agent)
    }

    /// From before the process was started until the server had answered the greeting.
    pub const fn initialized_in(&self) -> Duration {
        self.initialized_in
    }

    /// The server's process.
    pub fn server_process(&self) -> u32 {
        self.process.id()
    }

    /// The executor that the server runs now.
    pub fn executor_process(&self) -> Option<u32> {
        process_table::descendants(self.process.id()).first().map(|process| process.id)
    }

    /// The definitions of all tools, as the server sends them.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn tools(&mut self) -> Result<Value, AgentError> {
        let pending = self.request("tools/list", json!({}))?;
        self.result(pending, bounds::AGENT_ANSWER)
    }

    /// Calls a tool and waits for its answer.
    ///
    /// # Errors
    /// The server does not answer, or refuses the call as one of the protocol.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<ToolAnswer, AgentError> {
        let pending = self.begin(tool, arguments)?;
        self.finish(pending)
    }

    /// Sends a call without waiting.
    ///
    /// # Errors
    /// The server's streams are broken.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> Result<Pending, AgentError> {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Waits for the answer of a call that was sent. Where it tells the window as a difference, the whole listing of
    /// that observation is asked for and takes its place.
    ///
    /// # Errors
    /// As [`Agent::call`].
    pub fn finish(&mut self, pending: Pending) -> Result<ToolAnswer, AgentError> {
        let mut answer = self.receive(pending)?;
        if answer.text.contains("\ndifference from ")
            && let Some(look) = Look::read(&answer.text)
        {
            let whole = self.begin("observe", json!({ "observation": look.observation, "page": 1 }))?;
            let before = answer.text.len() - look.text.len();
            answer.text.truncate(before);
            answer.text.push_str(&self.receive(whole)?.text);
        }
        Ok(answer)
    }

    fn receive(&mut self, pending: Pending) -> Result<ToolAnswer, AgentError> {
        let result = self.result(pending, bounds::AGENT_ANSWER)?;
        let content = result["content"].as_array().ok_or(AgentError::Shape("no content"))?;
        let text = content.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
        let picture = content.iter().find_map(|part| part["data"].as_str()).map(str::to_owned);
        let structured = result.get("structuredContent").filter(|value| !value.is_null()).cloned();
        Ok(ToolAnswer { text, structured, picture, is_error: result["isError"].as_bool().unwrap_or(false) })
    }

    /// Observes the frontmost window of an application.
    ///
    /// # Errors
    /// As [`Agent::call`]; and the answer is not an observation.
    pub fn observe(&mut self, application: &str) -> Result<Look, AgentError> {
        self.call("observe", json!({ "app": application }))?.look()
    }

    /// Observes the frontmost window of a process.
    ///
    /// # Errors
    /// As [`Agent::observe`].
    pub fn observe_process(&mut self, process: u32) -> Result<Look, AgentError> {
        self.call("observe", json!({ "pid": process }))?.look()
    }

    /// One action on one element of an observation; `more` holds the tool's other arguments.
    ///
    /// # Errors
    /// As [`Agent::call`].
    pub fn act(&mut self, tool: &str, look: &Look, element: u64, more: Value) -> Result<ToolAnswer, AgentError> {
        self.call(tool, Self::action(look, element, more))
    }

    /// The arguments of an action.
    pub fn action(look: &Look, element: u64, more: Value) -> Value {
        let mut arguments = json!({ "observation": look.observation, "element": element });
        if let (Value::Object(arguments), Value::Object(more)) = (&mut arguments, more) {
            arguments.extend(more);
        }
        arguments
    }

    /// Closes the server's input and waits for it to end.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn leave(mut self) -> Result<std::process::ExitStatus, AgentError> {
        drop(self.input.take());
        Ok(self.process.wait()?)
    }

    fn request(&mut self, method: &str, parameters: Value) -> Result<Pending, AgentError> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))?;
        Ok(Pending(id))
    }

    fn send(&mut self, message: &Value) -> Result<(), AgentError> {
        let input = self.input.as_mut().ok_or(AgentError::Gone)?;
        let mut line = message.to_string();
        line.push('\n');
        input.write_all(line.as_bytes())?;
        Ok(input.flush()?)
    }

    fn result(&mut self, pending: Pending, within: Duration) -> Result<Value, AgentError> {
        let deadline = Instant::now() + within;
        loop {
            if let Some(answer) = self.answers.remove(&pending.0) {
                return match answer.get("error") {
                    Some(error) => Err(AgentError::Protocol { code: error["code"].as_i64().unwrap_or(0) }),
                    None => Ok(answer["result"].clone()),
                };
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => AgentError::Silent(within),
                RecvTimeoutError::Disconnected => AgentError::Gone,
            })?;
            if let Some(id) = line["id"].as_u64() {
                self.answers.insert(id, line);
            }
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        // What is gone already needs no ending.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl ToolAnswer {
    /// The fresh observation in this answer.
    ///
    /// # Errors
    /// There is none.
    pub fn look(&self) -> Result<Look, AgentError> {
        Look::read(&self.text).ok_or(AgentError::Shape("no observation"))
    }

    /// The contract's code, if the call was refused or its outcome is unknown.
    pub fn code(&self) -> Option<String> {
        let structured = self.structured.as_ref().and_then(|structured| structured["code"].as_str());
        let refused = || self.text.strip_prefix("refused: ").and_then(|rest| rest.split([' ', '\n']).next());
        structured.or_else(refused).map(str::to_owned)
    }

    /// Delivery and effect of an action.
    pub fn verdict(&self) -> String {
        let fact =
            |name: &str| self.structured.as_ref().and_then(|structured| structured[name].as_str()).unwrap_or("-");
        format!("{}/{}", fact("delivery"), fact("effect"))
    }
}

/// An observation as it is read from its text.
#[derive(Debug, Clone)]
pub struct Look {
    /// Its id.
    pub observation: String,
    /// Its elements, in order.
    pub elements: Vec<SeenElement>,
    /// The whole text.
    pub text: String,
}

/// One line of an observation.
#[derive(Debug, Clone)]
pub struct SeenElement {
    /// The number to act by.
    pub id: u64,
    /// How far it is indented.
    pub depth: usize,
    /// The role, in words.
    pub role: String,
    /// The name, empty if there is none.
    pub name: String,
    /// What follows: value, states, actions, place.
    pub rest: String,
}

impl Look {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let from = text.find("observation=")?;
        let text = &text[from..];
        let observation = text["observation=".len()..].split_ascii_whitespace().next()?.to_owned();
        let elements = text.lines().filter_map(SeenElement::read).collect();
        Some(Self { observation, elements, text: text.to_owned() })
    }

    /// The first element of that role and name.
    pub fn find(&self, role: &str, name: &str) -> Option<&SeenElement> {
        self.elements.iter().find(|element| element.role == role && element.name == name)
    }

    /// The first element of that role.
    pub fn find_role(&self, role: &str) -> Option<&SeenElement> {
        self.elements.iter().find(|element| element.role == role)
    }

    /// The first element of that name.
    pub fn find_name(&self, name: &str) -> Option<&SeenElement> {
        self.elements.iter().find(|element| element.name == name)
    }
}

impl SeenElement {
    fn read(line: &str) -> Option<Self> {
        let trimmed = line.trim_start();
        let (id, rest) = trimmed.split_once(' ')?;
        let id = id.parse().ok()?;
        let role_end = rest.find([' ', '"']).map_or(rest.len(), |_| end_of_role(rest));
        let role = rest[..role_end].trim_end().to_owned();
        let after = rest[role_end..].trim_start();
        let mut names = serde_json::Deserializer::from_str(after).into_iter::<String>();
        let (name, rest) = match after.starts_with('"').then(|| names.next()) {
            Some(Some(Ok(name))) => (name, after[names.byte_offset()..].to_owned()),
            _ => (String::new(), after.to_owned()),
        };
        Some(Self { id, depth: line.len() - trimmed.len(), role, name, rest })
    }
}

/// A role is words of lower-case letters; what follows begins with a mark.
fn end_of_role(rest: &str) -> usize {
    let mut end = 0;
    for word in rest.split_inclusive(' ') {
        if !word.trim_end().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') || word.starts_with('-') {
            break;
        }
        end += word.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_into_its_parts() {
        let line = SeenElement::read("  12 push button \"Say \\\"hi\\\"\" [focused] +open @1,2 3x4").expect("a line");
        assert_eq!((line.id, line.depth, line.role.as_str(), line.name.as_str()), (12, 2, "push button", "Say \"hi\""));
        assert_eq!(line.rest, " [focused] +open @1,2 3x4");
        let bare = SeenElement::read("7 scroll pane +scroll").expect("a line");
        assert_eq!((bare.role.as_str(), bare.name.as_str(), bare.rest.as_str()), ("scroll pane", "", "+scroll"));
        assert!(SeenElement::read("app=x title=\"12 button\"").is_none());
    }
}

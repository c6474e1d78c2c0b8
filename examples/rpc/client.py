"""Talks to Bough over `--mode rpc` (docs/rpc.md). Needs nothing but Python 3.8.

    python3 client.py "What is in this directory?" "And what is missing?"
"""

import itertools
import json
import subprocess
import sys


class CommandFailed(Exception):
    """A command was not done; `code` says why, for programs."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Bough:
    """One conversation. Use it with `with`: the session is saved, and the program ended, at its end."""

    def __init__(self, *options, command="bough"):
        self.process = subprocess.Popen(
            [command, "--mode", "rpc", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.ids = (f"py-{number}" for number in itertools.count(1))
        self.session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        for _ in self._records():
            pass
        self.process.wait()

    def _records(self):
        # In binary mode a line ends at LF alone, as it must.
        for line in self.process.stdout:
            record = json.loads(line)
            if record["type"] == "session":
                self.session = record
            yield record

    def _send(self, kind, arguments):
        id = next(self.ids)
        line = json.dumps({"id": id, "type": kind, **arguments})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return id

    def ask(self, kind, on_event=lambda event: None, **arguments):
        """Sends a command and returns the data of its answer; raises CommandFailed."""
        id = self._send(kind, arguments)
        for record in self._records():
            if record["type"] == "response" and record.get("id") == id:
                if not record["success"]:
                    raise CommandFailed(record["error"])
                return record.get("data")
            on_event(record)
        raise EOFError(f"Bough ended with {self.process.wait()}")

    def prompt(self, message, on_event=lambda event: None):
        """Says something, tells what happens, and returns the result; None for an extension's command."""
        status = self.ask("prompt", on_event, message=message)["status"]
        if status == "taken":
            return None
        for record in self._records():
            if record["type"] == "result":
                return record
            on_event(record)
        raise EOFError(f"Bough ended with {self.process.wait()}")


def show(event):
    """Prints an answer as it is written, and names the tools that run."""
    part = event.get("assistantMessageEvent") or {}
    if part.get("type") == "text_delta":
        print(part["delta"], end="", flush=True)
    elif event["type"] == "tool_execution_start":
        print(f"[{event['toolName']}]", file=sys.stderr)


def main(prompts):
    with Bough("--read-only", "--quiet") as bough:
        for prompt in prompts:
            result = bough.prompt(prompt, show)
            print()
            if not result["ok"]:
                print(result["error"]["message"], file=sys.stderr)
                return result["exitCode"]
        state = bough.ask("get_state")
        tokens = state["stats"]["session"]["totalTokens"]
        print(f"{tokens} tokens, session {state['sessionId']}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

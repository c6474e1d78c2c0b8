# Functions for sh, bash and zsh. In ~/.bashrc or ~/.zshrc:  . /path/to/bough.sh

BOUGH_SHELL_SESSION=shell-$(date +%Y-%m-%d-%H%M%S)-$$

# A question, in a conversation that is this shell's own:
#   ask which files here are the largest
#   ask "and which of them does git ignore?"
ask() {
  bough -p --quiet --no-stdin --read-only --session-id "$BOUGH_SHELL_SESSION" "$*"
}

# Runs a command as it is, and has it explained if it fails:
#   why make test
why() {
  why_output=$(mktemp) || return
  # The pipe shows the output as it comes; the file tells how the command ended.
  { "$@" 2>&1; echo "$?" > "$why_output.code"; } | tee "$why_output"
  why_code=$(cat "$why_output.code")
  if [ "$why_code" -ne 0 ]; then
    tail -c 20000 "$why_output" |
      bough -p --quiet --stdin --no-session --read-only \
        "The command \"$*\" ended with $why_code, and printed this. Why, and what is to be done?" >&2
  fi
  rm -f "$why_output" "$why_output.code"
  return "$why_code"
}

# Changes a text on its way through a pipe:
#   pbpaste | reword "as a list" | pbcopy
reword() {
  bough -p --quiet --stdin --no-session --no-tools "Rewrite the text $*. The text alone."
}

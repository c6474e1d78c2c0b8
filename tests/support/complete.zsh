# What zsh would complete: zsh -f complete.zsh DIRECTORY "words of a command line", where DIRECTORY has
# the function _bough. Prints a candidate a line. A shell on a pseudo-terminal gets the words and a
# tab; there, compadd tells what it is given.
zmodload zsh/zpty
setup=$(mktemp)
print -r -- '
PROMPT=
fpath=('$1' $fpath)
autoload -Uz compinit && compinit -u -D
bindkey "^I" complete-word
zstyle ":completion:*" insert-tab false
compadd() {
  if [[ ${@[(I)-[OAD]]} -gt 0 ]]; then builtin compadd "$@"; return; fi
  local -a found
  builtin compadd -A found "$@"
  print -rl -- "candidate "${^found}
  builtin compadd "$@"
}
compprefuncs=(begin) comppostfuncs=(finish)
begin() { print -r -- }
finish() { print -r -- "all candidates"; exit }
print -r -- ready
' > $setup
zpty shell zsh -f -i
zpty -w shell "source $setup"
while zpty -r shell line; do [[ $line == ready* ]] && break; done
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do
  line=${line%%[$'\r\n']*}
  [[ $line == "candidate "* ]] && print -r -- ${line#candidate }
  [[ $line == "all candidates"* ]] && break
done
zpty -d shell
rm -f $setup

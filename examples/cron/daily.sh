#!/bin/sh
# Asks the same question every day, in one session a week, so that each answer knows the ones before.
#
#   30 6 * * 1-5  /path/to/daily.sh ~/project "What has changed since the last time?"
#
# The answers are appended to ~/bough-daily.md; what goes wrong goes to stderr, and so into cron's mail.
# cron has hardly an environment: name the key in the crontab (ANTHROPIC_API_KEY=...), or store it
# once with "bough auth set anthropic". PATH has to lead to bough.
set -u

project=${1:?usage: daily.sh <project> <question>}
question=${2:?usage: daily.sh <project> <question>}
report=${BOUGH_DAILY_REPORT:-$HOME/bough-daily.md}
week=$(date +%G-W%V)

cd "$project" || exit 1

# The id is the key of the session: made on the first day of a week, gone on with on the others.
# Nothing can be changed, nothing runs for ever, and a run that is still at work is waited for.
answer=$(bough -p --quiet --no-stdin \
  --session-id "daily-$week" --name "Daily, $week" \
  --read-only --timeout 10m --max-cost 0.50 --busy wait:5m \
  "$question")
code=$?

case $code in
  0) printf '## %s\n\n%s\n\n' "$(date +%F)" "$answer" >> "$report" ;;
  3) bough doctor --quiet >&2 ;; # What is missing here, and what to do about it.
esac
exit "$code"

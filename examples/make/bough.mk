# Targets that ask. In a Makefile:  include bough.mk
#
#   make review           what is about to be committed
#   make NOTES.md         release notes since the last tag; made anew when there are new commits
#   make fix-tests        has failing tests mended, in a session that is gone on with
#
# A run that fails stops make: its exit code is not 0 (bough --help lists them).
BOUGH ?= bough
TEST ?= npm test
LIMITS ?= --timeout 10m --max-cost 1.00

.PHONY: review fix-tests
.DELETE_ON_ERROR:

review:
	@git diff HEAD | $(BOUGH) -p --quiet --stdin --no-session --read-only $(LIMITS) \
		"Review this change. Only what is wrong, a line each, with file and line number."

NOTES.md: .git/logs/HEAD
	@tag=$$(git describe --tags --abbrev=0 2> /dev/null); \
	git log --format='%h %s%n%b' $${tag:+$$tag..}HEAD | \
		$(BOUGH) -p --quiet --stdin --no-session --no-tools $(LIMITS) \
		"Write release notes in Markdown from these commits, for users." > $@

fix-tests:
	@$(TEST) > .test-output 2>&1 && rm .test-output && exit 0; \
	$(BOUGH) -p --quiet --no-stdin --session-id fix-tests $(LIMITS) @.test-output \
		"These tests fail. Mend the code, not the tests, and run \"$(TEST)\" until they pass."; \
	code=$$?; rm -f .test-output; [ $$code -eq 0 ] && $(TEST)

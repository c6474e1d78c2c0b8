/** All commands of the REPL. */
import type { Command } from "../context.ts";
import * as conversation from "./conversation.ts";
import { exportFile } from "./export.ts";
import { help } from "./help.ts";
import * as session from "./session.ts";
import * as settings from "./settings.ts";
import * as tree from "./tree.ts";

/** In the order in which the help shows them. */
export const COMMANDS: readonly Command[] = [
  help,
  conversation.newSession,
  conversation.resume,
  conversation.fork,
  conversation.clone,
  tree.tree,
  tree.label,
  session.name,
  session.session,
  session.compact,
  tree.drop,
  session.later,
  settings.model,
  settings.thinking,
  settings.tools,
  exportFile,
  conversation.importFile,
  session.copy,
  conversation.reload,
  settings.trust,
  conversation.quit,
];

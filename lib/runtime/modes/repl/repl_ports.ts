/** What a REPL is made of. */
import type { Timer } from "../../../agent/mod.ts";
import type { SessionRepo } from "../../../session/mod.ts";
import type { Environment, Services } from "../../config/mod.ts";
import type { AgentSessionRuntime } from "../../runtime.ts";
import type { Console } from "./console.ts";
import type { History } from "./history.ts";

export interface ReplPorts {
  readonly runtime: AgentSessionRuntime<Services>;
  readonly repo: SessionRepo;
  readonly console: Console;
  readonly history: History;
  readonly timer: Timer;
  readonly env: Environment;
  readonly raw: boolean;
  /** Lines appear as they are typed without our doing. */
  readonly echoes: boolean;
  readonly maxFileBytes: number;
  /** What there is to be told; it may grow when a session is opened. */
  warnings(): readonly { readonly message: string }[];
  /** Writes text as it comes, where nothing can be drawn anew. */
  readonly stream?: (text: string) => void;
}

/** How the REPL was left. */
export type Leaving = "quit" | "gone";

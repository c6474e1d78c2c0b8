/**
 * A provider on loopback that answers as a plan says, byte for byte, and records what it is asked.
 * Used in a test, or run by itself:
 *
 *     bun tests/support/scripted_server.ts PLAN.json [REQUEST_LOG]
 *
 * which prints its address, and appends each request to the log as a line of JSON.
 */
import * as fs from "node:fs";
import * as http from "node:http";
import * as path from "node:path";

/** One answer of a plan. */
export interface PlannedAnswer {
  /** A file, relative to the plan's directory; JSON if its name says so, else an event stream. */
  body?: string;
  /** The bytes of an event stream, instead of a file. */
  text?: string;
  /** A JSON body, instead of a file. */
  json?: unknown;
  /** 200 if absent. */
  status?: number;
  headers?: Record<string, string>;
  /** Byte offsets where a piece ends. */
  chunks?: number[] | "every byte";
  /** What follows the body: `drop` cuts the connection, `hold` leaves it open. */
  end?: "close" | "drop" | "hold";
  delayMs?: number;
  /** Never answers. */
  stall?: boolean;
}

/** The first rule that fits answers. */
export interface Rule extends PlannedAnswer {
  /** Fits requests without tools. */
  ifNoTools?: boolean;
  /** In this order, the last one repeating. */
  sequence?: PlannedAnswer[];
}

/** Answers in their order, the last one repeating; or rules. */
export type Plan = PlannedAnswer[] | { rules: Rule[] };

export interface RecordedRequest {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  /** Parsed, if it is JSON. */
  body: unknown;
}

export interface ScriptedServerOptions {
  /** Where the files of the plan lie. */
  directory?: string;
  onRequest?: (request: RecordedRequest) => void;
}

export class ScriptedServer implements AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  readonly requests: RecordedRequest[] = [];
  readonly #server: http.Server;
  readonly #plan: Plan;
  readonly #options: ScriptedServerOptions;
  readonly #taken = new Map<unknown, number>();
  readonly #waiting: { count: number; resolve: () => void }[] = [];
  #open = 0;
  #connected = 0;

  private constructor(server: http.Server, plan: Plan, options: ScriptedServerOptions) {
    this.#server = server;
    this.#plan = plan;
    this.#options = options;
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    this.url = `http://127.0.0.1:${port}`;
    server.on("connection", (socket) => {
      this.#open++;
      this.#connected++;
      socket.on("close", () => this.#open--);
    });
    server.on("request", (request, response) => this.#receive(request, response));
  }

  static start(plan: Plan, options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
    const server = http.createServer();
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => resolve(new ScriptedServer(server, plan, options)));
    });
  }

  /** Serves the plan of a directory with a `plan.json` (or another name) in it. */
  static serve(directory: string, plan = "plan.json"): Promise<ScriptedServer> {
    const text = fs.readFileSync(path.join(directory, plan), "utf8");
    return ScriptedServer.start(JSON.parse(text), { directory });
  }

  /** The connections that are open now. */
  get connections(): number {
    return this.#open;
  }

  /** The connections that there ever were. */
  get connectionCount(): number {
    return this.#connected;
  }

  /** Resolves when so many requests have come. */
  received(count: number): Promise<void> {
    if (this.requests.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** The bodies of the requests so far. */
  bodies(): Record<string, unknown>[] {
    return this.requests.map(({ body }) => isRecord(body) ? body : {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Cuts all connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    const pieces: Uint8Array[] = [];
    request.on("data", (piece: Uint8Array) => pieces.push(piece));
    request.on("end", () => {
      const body = parsed(Buffer.concat(pieces).toString("utf8"));
      const recorded = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
      };
      this.requests.push(recorded);
      this.#options.onRequest?.(recorded);
      for (const { count, resolve } of this.#waiting) {
        if (this.requests.length >= count) resolve();
      }
      const answer = this.#choose(body);
      this.#answer(response, answer).catch((error: unknown) => response.destroy(toError(error)));
    });
  }

  #choose(body: unknown): PlannedAnswer {
    if (Array.isArray(this.#plan)) return this.#nextOf(this.#plan);
    const tools = isRecord(body) ? body["tools"] : undefined;
    const hasTools = Array.isArray(tools) && tools.length > 0;
    const rule = this.#plan.rules.find((rule) => !(rule.ifNoTools && hasTools));
    if (!rule) return { status: 500, json: { error: { message: "no rule of the plan fits" } } };
    return rule.sequence ? this.#nextOf(rule.sequence) : rule;
  }

  #nextOf(answers: PlannedAnswer[]): PlannedAnswer {
    const taken = this.#taken.get(answers) ?? 0;
    this.#taken.set(answers, taken + 1);
    const answer = answers[Math.min(taken, answers.length - 1)];
    return answer ?? { status: 500, json: { error: { message: "the plan is empty" } } };
  }

  async #answer(response: http.ServerResponse, answer: PlannedAnswer): Promise<void> {
    if (answer.stall) return;
    if (answer.delayMs) await wait(answer.delayMs);
    const data = this.#bytes(answer);
    const isJson = answer.json !== undefined || answer.body?.endsWith(".json");
    response.writeHead(answer.status ?? 200, {
      "content-type": isJson ? "application/json" : "text/event-stream",
      ...answer.headers,
    });
    response.flushHeaders();
    let start = 0;
    for (const end of cutsOf(answer, data.length)) {
      await write(response, data.subarray(start, end));
      start = end;
    }
    const rest = data.subarray(start);
    if (answer.end === "drop") {
      await write(response, rest);
      // What was written must be on its way before the connection is cut.
      await wait(20);
      response.destroy();
    } else if (answer.end === "hold") {
      await write(response, rest);
    } else {
      response.end(rest);
    }
  }

  #bytes(answer: PlannedAnswer): Uint8Array {
    if (answer.json !== undefined) return Buffer.from(JSON.stringify(answer.json));
    if (answer.text !== undefined) return Buffer.from(answer.text);
    return fs.readFileSync(path.join(this.#options.directory ?? ".", answer.body ?? ""));
  }
}

function cutsOf(answer: PlannedAnswer, length: number): number[] {
  if (answer.chunks !== "every byte") return answer.chunks ?? [];
  return Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
}

/** Waits until the piece is out, so that the next one is a piece of its own. */
function write(response: http.ServerResponse, data: Uint8Array): Promise<void> {
  if (data.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) =>
    response.write(data, (error) => error ? reject(error) : setImmediate(resolve))
  );
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

if (import.meta.main) {
  const [planFile = "plan.json", log] = process.argv.slice(2);
  if (log) fs.writeFileSync(log, "");
  const server = await ScriptedServer.start(JSON.parse(fs.readFileSync(planFile, "utf8")), {
    directory: path.dirname(planFile),
    onRequest: (request) => {
      if (log) fs.appendFileSync(log, JSON.stringify(request) + "\n");
    },
  });
  console.log(server.url);
}

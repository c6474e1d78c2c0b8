import type { Answer } from "./answer.ts";
import { record, text } from "./json.ts";

/** A call of which pieces come in. */
interface Slot {
  index: number | undefined;
  /** The first id the server gave, empty if none came yet. */
  givenId: string;
  name: string;
  /** Arguments that came before the name. */
  early: string;
  /** Its place in the answer, once its name is known. */
  place?: number;
}

/**
 * Puts the pieces of tool calls together. By the format each piece has an `index`; servers leave it
 * out, leave ids out, change ids from piece to piece, or give each call index 0.
 */
export class CallPieces {
  readonly #answer: Answer;
  readonly #slots: Slot[] = [];

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  add(piece: Record<string, unknown>): void {
    const called = record(piece["function"]);
    const index = typeof piece["index"] === "number" ? piece["index"] : undefined;
    const id = text(piece["id"]);
    const name = text(called["name"]);
    const slot = this.#find(index, id, name) ?? this.#open(index, id, name);
    if (!slot) return;
    slot.givenId ||= id;
    slot.name ||= name;
    const delta = argumentsIn(called["arguments"]);
    if (slot.place === undefined && slot.name !== "") {
      slot.place = this.#answer.startCall(slot.givenId, slot.name);
      this.#answer.append(slot.place, slot.early);
    }
    if (slot.place === undefined) slot.early += delta;
    else this.#answer.append(slot.place, delta);
  }

  end(): void {
    for (const slot of this.#slots) {
      if (slot.place !== undefined) this.#answer.end(slot.place);
    }
  }

  #find(index: number | undefined, id: string, name: string): Slot | undefined {
    if (index !== undefined) {
      const slot = this.#slots.findLast((slot) => slot.index === index);
      return slot && !this.#startsAnother(slot, id, name) ? slot : undefined;
    }
    if (id !== "") return this.#slots.findLast((slot) => slot.givenId === id);
    const current = this.#slots.at(-1);
    return current && name !== "" && this.#isWhole(current) ? undefined : current;
  }

  /** The same index with a new id and a name again: the server counts none of its calls. */
  #startsAnother(slot: Slot, id: string, name: string): boolean {
    return id !== "" && name !== "" && slot.name !== "" && slot.givenId !== "" &&
      slot.givenId !== id;
  }

  #open(index: number | undefined, id: string, name: string): Slot | undefined {
    // Without index, id and name there is nothing that this could be a piece of.
    if (index === undefined && id === "" && name === "") return undefined;
    const slot: Slot = { index, givenId: id, name, early: "" };
    this.#slots.push(slot);
    return slot;
  }

  #isWhole(slot: Slot): boolean {
    if (slot.place === undefined) return false;
    const raw = this.#answer.rawArguments(slot.place);
    try {
      return typeof JSON.parse(raw) === "object";
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return false;
    }
  }
}

/** Text by the format; some servers send the object itself. */
function argumentsIn(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : "";
}

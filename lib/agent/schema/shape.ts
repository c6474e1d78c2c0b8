/** Shows what a JSON Schema wants, in one short line that a model can copy. */
import { isRecord } from "../../session/mod.ts";

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

const SHAPE_CHARACTERS_MAX = 1_500;
const SHAPE_DEPTH_MAX = 5;

/** The schema under a key of a schema; `{}` (anything) where there is none. */
export function subschema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

/** The types that a schema allows; empty if it does not say. */
export function typesOf(schema: Schema): string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === "string") : [];
}

/** The schemas of a list under `anyOf`, `oneOf` or `allOf`. */
export function schemasOf(value: unknown): Schema[] {
  return Array.isArray(value) ? value.map(subschema) : [];
}

/** The schema that a local `$ref` names, or the schema itself; a bad reference allows anything. */
export function resolved(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let hops = 0; typeof current["$ref"] === "string"; hops++) {
    if (hops > 20 || !current["$ref"].startsWith("#")) return {};
    let target: unknown = root;
    for (const part of current["$ref"].slice(1).split("/").filter((each) => each !== "")) {
      target = isRecord(target) ? target[part.replaceAll("~1", "/").replaceAll("~0", "~")] : {};
    }
    current = subschema(target);
  }
  return current;
}

/**
 * What a schema wants, like `{ "path": string, "limit"?: integer }`. Deep or long schemas are
 * shortened to `…`.
 */
export function shapeOf(schema: Schema, root: Schema = schema): string {
  const shape = shapeAt(schema, root, 0);
  return shape.length > SHAPE_CHARACTERS_MAX
    ? `${shape.slice(0, SHAPE_CHARACTERS_MAX).toWellFormed()}…`
    : shape;
}

function shapeAt(reference: Schema, root: Schema, depth: number): string {
  if (depth > SHAPE_DEPTH_MAX) return "…";
  const schema = resolved(reference, root);
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) {
    return schema["enum"].map((each) => JSON.stringify(each)).join(" | ");
  }
  const choices = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"])];
  if (choices.length > 0) {
    return choices.map((each) => shapeAt(each, root, depth + 1)).join(" | ");
  }
  const types = typesOf(schema);
  if (types.length === 0) return isRecord(schema["properties"]) ? objectShape() : "any";
  return types.map((type) => {
    if (type === "object") return objectShape();
    if (type === "array") return `[${shapeAt(subschema(schema["items"]), root, depth + 1)}, …]`;
    return type;
  }).join(" | ");

  function objectShape(): string {
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const fields = Object.entries(subschema(schema["properties"])).map(([name, each]) =>
      `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${
        shapeAt(subschema(each), root, depth + 1)
      }`
    );
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
  }
}

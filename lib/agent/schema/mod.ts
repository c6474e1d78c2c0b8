/** Tool arguments: checked, mended, explained. */
export { checkArguments } from "./check.ts";
export { shapeOf } from "./shape.ts";
export {
  defineTool,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  type StandardTool,
} from "./standard.ts";

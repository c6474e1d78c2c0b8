/** Models behind wire formats, and what is known of models. Imports no package. */
export { type AnthropicClient, anthropicMessages } from "./anthropic_messages.ts";
export { canKeepPromptCached } from "./cached_prefix.ts";
export { catalogueModel, loadCatalogue, modelFacts } from "./catalog.ts";
export { type CompletionsCompat } from "./completions_compat.ts";
export { costOf } from "./cost.ts";
export { type AskedModel, MODEL_ERROR_FATE, modelErrorFrom } from "./errors.ts";
export { retryAfter } from "./failure.ts";
export {
  checkImage,
  IMAGE_BYTES_MAX,
  IMAGE_SIDE_MAX,
  type ImageCheck,
  imageNote,
} from "./images.ts";
export { openaiCompletions, type OpenAICompletionsClient } from "./openai_completions.ts";
export { openaiResponses, type OpenAIResponsesClient } from "./openai_responses.ts";
export { type RecordedMessage, replayModel } from "./replay.ts";
export {
  type AdapterOptions,
  IDLE_TIMEOUT_MS,
  type PendingResponse,
  type RequestOptions,
} from "./stream.ts";

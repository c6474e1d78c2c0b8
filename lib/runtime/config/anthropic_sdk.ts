/**
 * The part of Anthropic's SDK that is used: the client that sends requests, without the methods for
 * each of the API's resources. These are three quarters of its code, and loading them is a tenth of
 * a short run. A file of its own, so that the build leaves the rest out of what is loaded lazily.
 */
export { BaseAnthropic } from "@anthropic-ai/sdk/client";

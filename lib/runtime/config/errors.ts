/** What can be wrong with the configuration, by code. */
export type ConfigErrorCode =
  | "no_home"
  | "bad_settings"
  | "bad_models"
  | "bad_auth"
  | "bad_trust"
  | "bad_replay"
  | "no_model"
  | "no_key"
  | "unknown_model"
  | "ambiguous_model"
  | "unknown_provider"
  | "bad_base_url"
  | "bad_prompt"
  | "bad_extension"
  | "busy"
  | "write_failed";

/**
 * The configuration does not allow what was asked. `code` is for programs, `message` for people: what
 * could not be done, why, and what to do about it. A key never stands in a message.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;
  /** The file in question, where there is one. */
  readonly file?: string;

  constructor(
    code: ConfigErrorCode,
    message: string,
    options: { cause?: unknown; file?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.file !== undefined) this.file = options.file;
  }
}

/** Something that the user should know and that stops nothing. */
export interface ConfigWarning {
  /** One line, without "Warning:". */
  readonly message: string;
  /** The file that it is about, where there is one. */
  readonly file?: string;
}

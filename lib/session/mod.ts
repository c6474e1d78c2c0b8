export * from "./message.ts";
export * from "./entry.ts";
export * from "./errors.ts";
export * from "./file_system.ts";
export { FileLock, type FileLockOptions, type LockInspection, type LockState } from "./lock.ts";
export { type LockKind, lockKindOf } from "./lock_kind.ts";
export { waitForLock, type WaitOptions } from "./wait_for_lock.ts";
export { describeHolder } from "./holder.ts";
export * from "./ports.ts";
export { type ContextItem, type ContextSettings, type SessionContext } from "./context.ts";
export { MemorySessionStorage } from "./memory_storage.ts";
export { JsonlSessionStorage } from "./jsonl_storage.ts";
export { MemorySessionRepo } from "./memory_repo.ts";
export { JsonlSessionRepo, type JsonlSessionRepoOptions } from "./repo.ts";
export {
  ForkedSession,
  type NewBranchSummary,
  type NewCompaction,
  type NewCustomMessage,
  Session,
} from "./session.ts";
export { type PathLines, type SessionStorage, type TreeNode } from "./storage.ts";
export { type EntryHead } from "./codec.ts";
export { type ByteSource } from "./byte_source.ts";
export { type Outline, type OutlineEntry } from "./outline.ts";
export { type Durability } from "./storage_env.ts";
export { type SessionSummary } from "./summary.ts";
export { type Access } from "./open_log.ts";
export { type ForkPoint } from "./fork.ts";
export { saidIn } from "./fences.ts";
export { type NewFile, writeAll, writeWhole } from "./whole_file.ts";
export { usageOf, type UsageTotals } from "./usage_totals.ts";
export { type VerifyReport } from "./diagnosis.ts";
export { type Finding, type FindingKind } from "./findings.ts";
export { sessionsToVerify, type VerifyOptions, verifySession, type VerifyWhere } from "./verify.ts";
export { type RepairChange } from "./repair_plan.ts";
export { type RepairOptions, type RepairReport, repairSession } from "./repair.ts";
export {
  type ForkOptions,
  type NewSession,
  type OpenSessionOptions,
  type SessionRepo,
} from "./session_repo.ts";
export { looksLikePath } from "./session_files.ts";
export {
  type CatalogFilter,
  type SearchOptions,
  SessionCatalog,
  type SessionCatalogOptions,
} from "./catalog.ts";
export { type SearchHit } from "./catalog/hits.ts";
export { SEARCHED_ROLES, type SearchedRole } from "./catalog/searched_text.ts";
export { exportLines } from "./export_lines.ts";
export { type Spending, spendingsIn } from "./spending.ts";
export { errorCode, reasonOf } from "./thrown.ts";
export { isRecord, type JsonObject } from "./record.ts";

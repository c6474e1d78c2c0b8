import { expect, test } from "bun:test";
import { editElsewhere } from "../../../../lib/runtime/modes/repl/external_editor.ts";
import { TempDirectory } from "../../../support/temp.ts";

test.skipIf(process.platform === "win32")(
  "editElsewhere() takes what the editor left, which knows nothing of our own runtime",
  async () => {
    using temp = new TempDirectory();
    const editor = temp.write(
      "edit.sh",
      'printf "%s %s %s\\n\\n" "$(cat "$2")" "$1" "${BUN_BE_BUN:-unset}" > "$2.new"; mv "$2.new" "$2"\n',
    );
    const env = temp.env({ EDITOR: `sh ${editor} flag`, BUN_BE_BUN: "1" });
    expect(await editElsewhere("draft", env)).toBe("draft flag unset");
  },
);

test.skipIf(process.platform === "win32")(
  "editElsewhere() tells how the editor failed",
  async () => {
    using temp = new TempDirectory();
    await expect(editElsewhere("draft", temp.env({ EDITOR: "exit 3;" }))).rejects.toThrow(
      "Cannot edit with exit 3;: it ended with code 3. Set EDITOR to another one.",
    );
  },
);

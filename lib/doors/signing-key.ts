import type { KeyObject } from 'node:crypto'
import { KeyFileError, readSigningKey } from '../report/evidence/keys.ts'
import { issue, parsed, type Parsed } from '../settings/issue.ts'
import type { RunSettings } from '../settings/settings.ts'

/** Reads the key that signs a run at its end, null if none does, or says what is wrong with the file, before anything is sent. */
export async function signingKey({
  signingKeyFile: file,
}: Pick<RunSettings, 'signingKeyFile'>): Promise<Parsed<KeyObject | null>> {
  if (file === null) return parsed(null)
  try {
    return parsed(await readSigningKey(file))
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error
    const expected = `a PEM file with a private Ed25519 key: ${error.message}`
    return parsed(null, issue('RUN_SIGNING_KEY_FILE', { given: file, expected }))
  }
}

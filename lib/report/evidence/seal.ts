import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Verdict } from '../../verdict/verdict.ts'
import { enveloped, envelopeFile, statementOf, type Sealer } from './attestation.ts'
import { fileNames, textFile, type EvidenceFile } from './files.ts'
import { publicPem } from './keys.ts'
import { readmeText } from './readme.ts'
import { madeAgainIn } from './rule-statuses.ts'

/** A run that is sealed: its verdict, and its files with `run.sha256`. */
export interface SealInput {
  readonly verdict: Verdict
  readonly files: readonly EvidenceFile[]
  readonly sealedBy: Sealer
  /** Private key that signs, or null. */
  readonly key: KeyObject | null
}

/** What an archive holds beside the files of a run: README.txt, the statement over them and, if a key signs, its public part. */
export function statementFiles({ verdict, files, sealedBy, key }: SealInput): readonly EvidenceFile[] {
  const contentOf = (wanted: string): Buffer =>
    files.find(({ name }) => name === wanted)?.content ?? Buffer.of()
  const madeAgainBy = madeAgainIn(contentOf(fileNames.junit))
  const facts = { sealedBy: sealedBy.suite, madeAgainBy, signed: key !== null }
  const readme = textFile(fileNames.readme, readmeText(verdict, facts))
  const checksums = { name: fileNames.checksums, content: contentOf(fileNames.checksums) }
  const statement = statementOf(verdict, { subjects: [checksums, readme], sealedBy, madeAgainBy })
  return [
    readme,
    envelopeFile(enveloped(statement, key)),
    ...(key === null ? [] : [textFile(fileNames.publicKey, publicPem(createPublicKey(key)))]),
  ]
}

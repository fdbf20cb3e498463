import { sign, verify, type KeyObject } from 'node:crypto'
import type { RuleStatus } from '../../judge/record.ts'
import { parseJsonBytes } from '../../verdict/read-verdict.ts'
import { isPartial, type Verdict } from '../../verdict/verdict.ts'
import { isCovered } from '../model/headline.ts'
import { asciiJson, evidenceFormat, fieldOf, fileNames, inQuotes, sha256, textFile } from './files.ts'
import type { EvidenceFile } from './files.ts'
import { keyFingerprint, publicKeyFrom } from './keys.ts'
import { countedRules } from '../../verdict/counted-rules.ts'

// An attestation is an in-toto statement (v1) with a test result (v0.1), in a DSSE envelope (v1).

const payloadType = 'application/vnd.in-toto+json'

/** What sealed the files of a run. */
export interface Sealer {
  readonly suite: string
  readonly node: string
  /** Pinned dependencies of the suite, by name. */
  readonly packages: Readonly<Record<string, string>>
}

/** What a statement says besides the verdict. */
interface StatementFacts {
  /** The files that it vouches for; `run.sha256` stands for all files of the run. */
  readonly subjects: readonly EvidenceFile[]
  /** A {@link Sealer}, or what a statement of others says in its place. */
  readonly sealedBy: unknown
  /** Version of the suite that made the reports again, or null. */
  readonly madeAgainBy: string | null
}

/** What a run came to, as the bytes of a statement; they belong to the format, so every version makes the same ones. */
export function statementOf(verdict: Verdict, { subjects, sealedBy, madeAgainBy }: StatementFacts): Buffer {
  const { suite, specification, target, profile, strict, seed, rules } = verdict
  const build = /^sha256:([0-9a-f]{64})$/i.exec(target.build ?? '')?.[1]?.toLowerCase()
  const idsOf = (...wanted: readonly RuleStatus[]): readonly string[] =>
    countedRules(rules)
      .filter(({ status }) => wanted.includes(status))
      .map(({ id }) => id)
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      ...subjects.map(({ name, content }) => ({ name, digest: { sha256: sha256(content) } })),
      ...(build === undefined
        ? []
        : [{ name: target.label ?? target.baseUrl ?? '_', digest: { sha256: build } }]),
    ],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: resultOf(verdict),
      configuration: [
        {
          name: specification.title,
          digest: { sha256: specification.sha256 },
          annotations: { suite: suite.version, profile, strict, seed },
        },
      ],
      passedTests: idsOf('passed'),
      warnedTests: idsOf('warned', 'waived'),
      failedTests: idsOf('failed'),
      cardSwitchConformance: {
        format: evidenceFormat,
        verdict: verdict.verdict,
        exitCode: verdict.exitCode,
        ...(verdict.validUntil === undefined ? {} : { validUntil: verdict.validUntil }),
        ...endpointsOf(target),
        sealedBy,
        madeAgainBy,
      },
    },
  }
  return Buffer.from(asciiJson(statement))
}

/** The endpoints that the result is about, and those that it is not. */
function endpointsOf({ endpoints, notJudged }: Verdict['target']) {
  const others = notJudged.map(({ endpoint, because, waived = null }) => ({ endpoint, because, waived }))
  return { endpoints, notJudged: others }
}

/** WARNED is conformant with something to read first: warnings, exceptions, endpoints that were not judged, a selection, or another service than the user's. */
function resultOf(verdict: Verdict): 'PASSED' | 'WARNED' | 'FAILED' {
  if (verdict.verdict !== 'conformant') return 'FAILED'
  const { notJudged } = verdict.target
  const isExcepted =
    notJudged.length > 0 || verdict.rules.some((rule) => rule.status === 'warned' || isCovered(rule))
  return isExcepted || isPartial(verdict) || verdict.target.embedded ? 'WARNED' : 'PASSED'
}

/** A statement and who signed it. */
export interface Envelope {
  readonly statement: Buffer
  /** Null if nobody signed. */
  readonly signature: { readonly keyid: string; readonly bytes: Buffer } | null
}

/** Puts a statement into an envelope, signed if there is a private key. */
export function enveloped(statement: Buffer, key: KeyObject | null): Envelope {
  if (key === null) return { statement, signature: null }
  return {
    statement,
    signature: { keyid: keyFingerprint(key), bytes: sign(null, preAuthEncoding(statement), key) },
  }
}

/** Bytes that are signed (DSSE, "Signature Definition"). */
function preAuthEncoding(statement: Buffer): Buffer {
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} `
  return Buffer.concat([Buffer.from(head), statement])
}

/** An envelope as the file of an archive. */
export function envelopeFile({ statement, signature }: Envelope): EvidenceFile {
  const signatures =
    signature === null ? [] : [{ keyid: signature.keyid, sig: signature.bytes.toString('base64') }]
  return textFile(
    fileNames.attestation,
    asciiJson({ payload: statement.toString('base64'), payloadType, signatures }),
  )
}

/** Reads an envelope; null if it is not in the bytes of {@link envelopeFile}, of which readers could understand others differently. */
export function readEnvelope(bytes: Buffer): Envelope | null {
  const text = bytes.toString()
  const fieldIn = (name: string): string | undefined => new RegExp(`"${name}": "([^"]*)"`).exec(text)?.[1]
  const keyid = fieldIn('keyid')
  const envelope = {
    statement: Buffer.from(fieldIn('payload') ?? '', 'base64'),
    signature: keyid === undefined ? null : { keyid, bytes: Buffer.from(fieldIn('sig') ?? '', 'base64') },
  }
  return envelopeFile(envelope).content.equals(bytes) ? envelope : null
}

/** What a statement of this format says of who sealed, or the mistake of another format, in a sentence. */
type SealerRead =
  | { readonly kind: 'sealer'; readonly sealedBy: unknown }
  | { readonly kind: 'other format'; readonly mistake: string }

/** Reads who sealed out of a statement. */
export function sealerIn({ statement }: Envelope): SealerRead {
  const path = ['predicate', 'cardSwitchConformance']
  const ours = path.reduce(fieldOf, parseJsonBytes(statement))
  const format = fieldOf(ours, 'format')
  if (typeof format !== 'string' || format === evidenceFormat)
    return { kind: 'sealer', sealedBy: fieldOf(ours, 'sealedBy') ?? null }
  const mistake = `the archive is of the format ${inQuotes(format)}, and this program reads ${evidenceFormat}: use the version of the suite that made it`
  return { kind: 'other format', mistake }
}

/** The signer of an archive. */
export interface Signer {
  readonly fingerprint: string
  /** Whether it is the given key; otherwise only the archive names it. */
  readonly trusted: boolean
}

/** Signature of an archive: absent, valid, or invalid for the reasons in `mistakes`. */
interface SignatureCheck {
  /** Null without a valid signature. */
  readonly signer: Signer | null
  /** Sentences. */
  readonly mistakes: readonly string[]
}

/** Checks the signature with the given key, or with the one in the archive. */
export function checkSignature(
  { statement, signature }: Envelope,
  pem: Buffer | undefined,
  key: KeyObject | null,
): SignatureCheck {
  if (signature === null && pem === undefined) {
    return { signer: null, mistakes: key === null ? [] : ['the archive is not signed'] }
  }
  const enclosed = pem === undefined ? null : publicKeyFrom(pem.toString())
  const used = key ?? enclosed
  const isFit =
    signature === null || used === null || verify(null, preAuthEncoding(statement), used, signature.bytes)
  const mistakes = [
    ...(pem === undefined ? [`"${fileNames.publicKey}" is missing`] : []),
    ...(pem !== undefined && enclosed === null ? [`"${fileNames.publicKey}" holds no Ed25519 key`] : []),
    ...(key !== null && enclosed !== null && !enclosed.equals(key) ? [otherKey(enclosed, key)] : []),
    ...(signature === null ? [`"${fileNames.attestation}" holds no signature: it was removed`] : []),
    ...(signature === null || enclosed === null || signature.keyid === keyFingerprint(enclosed)
      ? []
      : [`"${fileNames.attestation}" names another key than the one in "${fileNames.publicKey}"`]),
    ...(isFit ? [] : [key === null ? unfit : unfitForKey]),
  ]
  if (used === null || mistakes.length > 0) return { signer: null, mistakes }
  return { signer: { fingerprint: keyFingerprint(used), trusted: key !== null }, mistakes }
}

const unfitForKey = `the signature in "${fileNames.attestation}" does not fit the statement and the key that you gave`
const unfit = `the signature in "${fileNames.attestation}" does not fit: it, the statement, or the key in the archive was changed`

function otherKey(enclosed: KeyObject, key: KeyObject): string {
  return `the archive was signed with another key: it holds the one with the SHA-256 ${keyFingerprint(enclosed)}, and you gave the one with ${keyFingerprint(key)}`
}

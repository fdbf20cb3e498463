import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import type { RuleStatus } from '../../judge/record.ts'
import { readBounded, readFailure, sizeLimits } from '../../settings/user-file.ts'
import { countedRules } from '../../specification/rules.ts'
import { isObject, jsonValue, listOr, objectOr } from '../../text/json.ts'
import { beginning, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { isPartial, type Verdict } from '../../verdict/verdict.ts'
import { reportNames } from '../folder/reports-folder.ts'
import { isCovered } from '../model/headline.ts'

// The statement that attests to a run: an in-toto statement (v1) with a test result (v0.1), in a DSSE envelope (v1).

const payloadType = 'application/vnd.in-toto+json'

/** Format of the evidence, as named in its statement. A change to the files or to the bytes of a statement requires a new number. */
export const evidenceFormat = 'card-switch-conformance/evidence/1'

/**
 * The SHA-256 of every file from a run, and the run's outcome, as the bytes of a statement. Every version produces the same
 * bytes. `madeBy` is the version of the suite that made the reports.
 */
export function statementOf(verdict: Verdict, files: Files, madeBy: string) {
  const { suite, specification, target, profile, strict, seed, rules, validUntil } = verdict
  const build = /^sha256:([0-9a-f]{64})$/i.exec(target.build ?? '')?.[1]?.toLowerCase()
  const sealed = inOrder(files).filter(([name]) => name !== fileNames.statement)
  const subjects = sealed.map(([name, content]) => [name, sha256(content)])
  const named = build === undefined ? [] : [[target.label ?? target.baseUrl ?? '_', build]]
  const idsOf = (...wanted: readonly RuleStatus[]) =>
    countedRules(rules)
      .filter(({ status }) => wanted.includes(status))
      .map(({ id }) => id)
  const notJudged = target.notJudged.map(({ endpoint, because, waived = null }) => {
    return { endpoint, because, waived }
  })
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...subjects, ...named].map(([name, digest]) => ({ name, digest: { sha256: digest } })),
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
        validUntil,
        endpoints: target.endpoints,
        notJudged,
        madeBy,
      },
    },
  }
  return Buffer.from(JSON.stringify(statement, null, 2))
}

/** WARNED means conformant with a caveat: warnings, exceptions, endpoints that were not judged, a partial selection, or the embedded service. */
function resultOf(verdict: Verdict): 'PASSED' | 'WARNED' | 'FAILED' {
  if (verdict.verdict !== 'conformant') return 'FAILED'
  const { notJudged } = verdict.target
  const isExcepted =
    notJudged.length > 0 || verdict.rules.some((rule) => rule.status === 'warned' || isCovered(rule))
  return isExcepted || isPartial(verdict) || verdict.target.embedded ? 'WARNED' : 'PASSED'
}

/** A statement and its signature, null if unsigned. */
export type Envelope = Readonly<{
  statement: Buffer
  signature: Readonly<{ keyid: string; bytes: Buffer }> | null
}>

/** The file that contains a statement, signed if there is a private key. */
export function sealedStatement(statement: Buffer, key: KeyObject | null) {
  const signature =
    key === null ? null : { keyid: keyFingerprint(key), bytes: sign(null, preAuthEncoding(statement), key) }
  return envelopeText({ statement, signature })
}

/** Whether the key signed the statement. */
export function isSignedBy({ statement, signature }: Envelope, key: KeyObject) {
  return signature !== null && verify(null, preAuthEncoding(statement), key, signature.bytes)
}

/** The bytes to be signed (DSSE, "Signature Definition"). */
function preAuthEncoding(statement: Buffer) {
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} `
  return Buffer.concat([Buffer.from(head), statement])
}

function envelopeText({ statement, signature }: Envelope) {
  const signatures =
    signature === null ? [] : [{ keyid: signature.keyid, sig: signature.bytes.toString('base64') }]
  return `${JSON.stringify({ payload: statement.toString('base64'), payloadType, signatures }, null, 2)}\n`
}

/** Reads an envelope. Returns null unless a run would write exactly these bytes, because readers may interpret other bytes differently. */
export function readEnvelope(text: string): Envelope | null {
  const { payload, signatures } = objectOr(jsonValue(text))
  const [first] = listOr(signatures)
  const bytesOf = (base64: unknown) => Buffer.from(String(base64), 'base64')
  const envelope = {
    statement: bytesOf(payload),
    signature: isObject(first) ? { keyid: String(first['keyid']), bytes: bytesOf(first['sig']) } : null,
  }
  return envelopeText(envelope) === text ? envelope : null
}

/** The format named in a statement and the version that made its reports; empty strings if they are not given. */
export function makingOf({ statement }: Envelope) {
  const { predicate } = objectOr(jsonValue(statement.toString()))
  const { format = '', madeBy = '' } = objectOr(objectOr(predicate)['cardSwitchConformance'])
  return { format: String(format), madeBy: String(madeBy) }
}

const remedies = {
  private: 'openssl genpkey -algorithm ed25519 -out signing-key.pem',
  public: 'openssl pkey -in signing-key.pem -pubout -out public.pem',
} as const

/**
 * Reads the private key for signing, or the public key for checking a signature. Rejects any other file. Throws {@link UnusableInput}, whose
 * message names the file, says what is wrong and what is expected, and reveals nothing of the key.
 */
export async function readKey(file: string, kind: keyof typeof remedies) {
  const bytes = await readBounded(file, sizeLimits.lines).catch((error: unknown) => {
    throw new UnusableInput(`the key file ${file} cannot be read: ${readFailure(error)}`)
  })
  const pem = bytes.toString('latin1')
  const labels = Array.from(pem.matchAll(/-----BEGIN ([^-]*)-----/g), ([, label = '']) => label)
  let held = labels.length === 0 ? 'no key in PEM' : labels.map(inQuotes).join(' and ')
  if (labels.join() === `${kind.toUpperCase()} KEY`)
    try {
      const key = kind === 'private' ? createPrivateKey(pem) : createPublicKey(pem)
      if (key.asymmetricKeyType === 'ed25519') return key
      held = `a key of the type ${key.asymmetricKeyType ?? 'unknown'}`
    } catch {
      // OpenSSL's error messages only name its internal routines.
      held = 'no readable key'
    }
  throw new UnusableInput(
    `the key file ${file} contains ${held}, but one ${kind} Ed25519 key in PEM is expected, without a passphrase: ${remedies[kind]}`,
  )
}

/** Fingerprint of a key: the SHA-256 of its public part in DER form (SubjectPublicKeyInfo), in hexadecimal. */
export function keyFingerprint(key: KeyObject) {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return sha256(publicKey.export({ type: 'spki', format: 'der' }))
}

/** Files in an archive that have a fixed meaning. */
export const fileNames = {
  verdict: 'verdict.json',
  checksums: 'run.sha256',
  statement: 'attestation.json',
} as const

/** Maximum size of an unpacked archive, in bytes: more than three times the size of a verdict with 10,000 findings. */
export const maxArchiveBytes = 256 * 1024 * 1024

/** File names used by allure-vitest and Allure. */
const allureName =
  /^allure-results\/(?:[0-9a-f-]{36}-(?:(?:result|container)\.json|(?:\d{1,4}-)?attachment(?:\.[a-z0-9]{1,12})?)|environment\.properties|(?:executor|categories)\.json)$/

/** Whether a sealed report from a run may have this name. */
export function isReportName(name: string) {
  return reportNames.some((report) => report === name) || allureName.test(name)
}

/** Files from a run or an archive, by their names relative to its folder. */
export type Files = ReadonlyMap<string, Buffer>

/** Files sorted by the code units of their names, which gives the same order on every machine. */
export function inOrder(files: Files) {
  return [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** The text of `run.sha256`: the SHA-256 of each report, in the format of `sha256sum`. */
export function checksumsText(files: Files) {
  const reports = inOrder(files).filter(([name]) => isReportName(name))
  return reports.map(([name, content]) => `${sha256(content)}  ${name}\n`).join('')
}

/** SHA-256 of bytes, in hexadecimal. */
export function sha256(bytes: Buffer) {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Quotes text from an archive, escaped and truncated so that it is safe to print on a terminal. */
export function inQuotes(text: string) {
  return `"${beginning(printable(text.slice(0, 200)), 120, Math.max(0, text.length - 200))}"`
}

import { askedAddress, inBrackets, isCovered, wordWithExceptions } from '../model/headline.ts'
import { statement } from '../page/statement.ts'
import { andMore, firstOf, moment, plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { Verdict } from '../../verdict/verdict.ts'

const longestText = 300
const mostItems = 20

/** An archive in one line: verdict, target, profile, time; first, anything that keeps it from covering a whole real service. */
export function bundleHeadline(verdict: Verdict): string {
  const { target, profile, strict, startedAt } = verdict
  const word = [...caveats(verdict), wordWithExceptions(verdict).toUpperCase()].join(', ')
  const named = shown(inBrackets(target))
  const address = shown(askedAddress(target))
  const started = `${startedAt.slice(0, 10)} ${startedAt.slice(11, 19)} UTC`
  return `${word}: ${address}${named}, profile ${profile}${strict ? ', strict' : ''}, ${started}`
}

function caveats({ verdict, target, selection, rules }: Verdict): readonly string[] {
  const { only, essential = false } = selection
  const { notJudged } = target
  // A conformant verdict's word says it.
  const waived = verdict === 'conformant' ? [] : countedRules(rules).filter(isCovered)
  return [
    ...(target.embedded ? ['EMBEDDED REFERENCE SERVICE, NOT YOURS'] : []),
    ...(only === null ? [] : [`PARTIAL (only ${bounded(only).join(', ')})`]),
    ...(essential ? ['PARTIAL (one case a rule)'] : []),
    ...(waived.length === 0 ? [] : [`${plural(waived.length, 'rule')} WAIVED`]),
    ...(notJudged.length === 0 ? [] : [`${plural(notJudged.length, 'endpoint')} NOT JUDGED`]),
  ]
}

const shownOfNoRun = 'This does not show that a run took place, which build answered, or when.'

/** What a whole archive shows, by whether it is signed. */
export const claims = {
  signed: `These files are, byte for byte, what the holder of the key signed. ${shownOfNoRun}`,
  unsigned: `Nobody signed these files: whoever has the archive may have made it. ${shownOfNoRun}`,
} as const

/** Who made the reports again from a verdict, in a sentence; null if the run itself left them. */
export function madeAgainText({ suite }: Verdict, madeAgainBy: string | null): string | null {
  if (madeAgainBy === null) return null
  return `All reports were made again from verdict.json, by version ${shown(madeAgainBy)} of the suite; the run was made by version ${shown(suite.version)}.`
}

/** Facts for `README.txt` besides the verdict. */
export interface ReadmeFacts {
  /** Version of the suite that sealed. */
  readonly sealedBy: string
  /** Version of the suite that made the reports again, or null. */
  readonly madeAgainBy: string | null
  readonly signed: boolean
}

/** `README.txt`, the first file of an archive, for readers who do not know what it is. */
export function readmeText(verdict: Verdict, { sealedBy, madeAgainBy, signed }: ReadmeFacts): string {
  const { validUntil } = verdict
  const again = madeAgainText(verdict, madeAgainBy)
  const text = `${bundleHeadline(verdict)}

The reports of one run of card-switch-conformance, a conformance suite for the card-switching and customization
service, in one archive. The run was made by version ${shown(verdict.suite.version)}, the archive by version ${sealedBy}.
${again === null ? '' : `${again}\n`}${validUntil === undefined ? '' : `The verdict is valid until ${moment(validUntil)}.\n`}
${printable(statement(verdict))}

${section('Why this verdict:', verdict.because)}What is in it:
  verdict.json      the whole verdict, with what was sent and answered
  index.html        the verdict as a page, for a browser
  summary.md        the verdict in Markdown
  junit.xml         the verdict for pipelines
  metrics.prom      the verdict for Prometheus
  allure-results/   the verdict for Allure, if the run judged anything
  run.sha256        the SHA-256 of each of these files
  attestation.json  the SHA-256 of run.sha256 and of this file, and the result, as an in-toto statement in a DSSE envelope${signed ? ', signed' : ''}
${signed ? keyFile : ''}
${claims[signed ? 'signed' : 'unsigned']}

Whether anything was changed since:
  card-switch-conformance verify FILE.tar.gz
${signed ? signatureCheck : unpackedCheck}
${section('No verdict covers:', verdict.notCovered)}`
  return `${text.trimEnd()}\n`
}

const keyFile = `  public-key.pem    the key that belongs to the signature, as the archive claims: compare it with one that you trust
`

const unpackedCheck = `Without the program, once it is unpacked:
  sha256sum -c --quiet run.sha256
`

const signatureCheck = String.raw`  card-switch-conformance verify FILE.tar.gz --key KEY.pem    with the public key of whoever is said to have signed it
Without the program, once it is unpacked:
  sed -n 's/.*"payload": "\(.*\)".*/\1/p' attestation.json | base64 -d > statement.json
  sed -n 's/.*"sig": "\(.*\)".*/\1/p' attestation.json | base64 -d > signature
  { printf 'DSSEv1 28 application/vnd.in-toto+json %d ' $(wc -c < statement.json); cat statement.json; } > signed
  openssl pkeyutl -verify -rawin -pubin -inkey KEY.pem -in signed -sigfile signature
  grep "$(openssl dgst -sha256 -r run.sha256 | cut -c -64)" statement.json
  grep "$(openssl dgst -sha256 -r README.txt | cut -c -64)" statement.json
  sha256sum -c --quiet run.sha256
`

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [title, ...bounded(items).map((item) => `  - ${item}`), '', ''].join('\n')
}

function bounded(items: readonly string[]): readonly string[] {
  return firstOf(items.map(shown), mostItems, andMore)
}

/** Keeps a target's or user's text from breaking a line or filling the page. */
function shown(text: string): string {
  return beginning(printable(text.slice(0, longestText)), longestText, Math.max(0, text.length - longestText))
}

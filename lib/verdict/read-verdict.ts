import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ErrorObject } from 'ajv'
import type { ShownExchange } from '../judge/record.ts'
import { packageVersion, unknownVersion } from '../settings/package-version.ts'
import { profiles } from '../settings/profiles.ts'
import { sizeLimits, readBounded, readFailure } from '../settings/user-file.ts'
import { covers, utcDay, waiverReason, type Waivable } from '../settings/waivers.ts'
import { isRuleId, ruleIds, ruleOf, runWideRules } from '../specification/rules.ts'
import { isTooDeep, jsonValue, maxLevels, objectOr } from '../text/json.ts'
import { firstOf } from '../text/members.ts'
import { andMore, beginning, printable } from '../text/printable.ts'
import { UnusableInput } from '../text/unusable-input.ts'
import { openFindings } from './causes.ts'
import { concludeAgain, statusOfBreach, waivedParts } from './conclude.ts'
import { fitsVerdict } from './verdict-validator.ts'
import { verdictFormat, type Verdict, type VerdictRule } from './verdict.ts'

/** A file that does not contain a verdict. The message names the file, describes its contents, and says what to do. */
export class VerdictFileError extends UnusableInput {
  override readonly name = 'VerdictFileError'
}

/** Maximum number of contradictions listed for a file. */
const mistakesShown = 3

/** A verdict, or why the bytes are not a verdict: a sentence without a subject, and what to do. */
type ReadVerdict =
  | Readonly<{ kind: 'value'; value: Verdict }>
  | Readonly<{ kind: 'wrong'; wrong: string; remedy: string }>

/** Reads a verdict from its file or its reports folder. Throws {@link VerdictFileError}. */
export async function readVerdict(path: string, now: Date = new Date()) {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true
  const file = isFolder ? join(path, 'verdict.json') : path
  const bytes = await readBounded(file, sizeLimits.verdict).catch((error: unknown) => {
    throw new VerdictFileError(`${file} cannot be read: ${readFailure(error)}; ${another}`)
  })
  const read = readVerdictBytes(bytes, now)
  if (read.kind === 'value') return read.value
  throw new VerdictFileError(`${file} ${read.wrong}${read.remedy}`)
}

const another = 'give a verdict.json or its folder'
const changed = '; it was changed by hand or cut short, so repeat the run'

/**
 * The only function that reads stored verdicts. It accepts only this format and only verdicts without {@link inconsistencies}. It
 * rejects encodings and nesting depths that readers interpret differently.
 */
export function readVerdictBytes(bytes: Buffer, now: Date = new Date()): ReadVerdict {
  const wrong = (text: string, remedy: string): ReadVerdict => ({ kind: 'wrong', wrong: text, remedy })
  const text = isUtf8(bytes) ? bytes.toString() : ''
  if (isTooDeep(text))
    return wrong(`is nested deeper than ${maxLevels} levels, unlike any verdict`, `; ${another}`)
  const value = jsonValue(text)
  if (value === undefined) return wrong('is not JSON', changed)

  const { format } = objectOr(value)
  if (typeof format !== 'string')
    return wrong(`is not a verdict: it does not name the format ${verdictFormat}`, `; ${another}`)
  if (format !== verdictFormat) {
    const named = JSON.stringify(printable(format.slice(0, 80)))
    return wrong(
      `has the format ${named}, but this program reads ${verdictFormat}`,
      ': use the suite version that wrote it',
    )
  }
  if (!fitsVerdict(value)) return wrong(`does not match its format: ${verdictMistakes(value)[0]}`, changed)
  const mistakes = inconsistencies(value, now)
  if (mistakes.length === 0) return { kind: 'value', value }
  const told = firstOf(mistakes, mistakesShown, andMore).join('; ')
  return wrong(`contradicts itself: ${told}`, '; it was changed by hand, so repeat the run')
}

/** The first mistake in a value that is not a verdict, as a sentence with its location; empty for a verdict. Never repeats text from the file. */
export function verdictMistakes(value: unknown): readonly string[] {
  if (fitsVerdict(value)) return []
  return (fitsVerdict.errors ?? []).slice(0, 1).map(sentence)
}

function sentence({ instancePath, message = 'does not fit', params }: ErrorObject) {
  const place = instancePath === '' ? 'the verdict' : printable(instancePath)
  const allowed: unknown = params['allowedValues'] ?? params['allowedValue']
  return `${place} ${message}${allowed === undefined ? '' : `: ${JSON.stringify(allowed)}`}`
}

/** Maximum difference allowed between two clocks, in milliseconds. */
const mostAheadMs = 5 * 60_000

/**
 * Contradictions that no run would leave in a verdict, one clause each: what {@link concludeAgain} says otherwise, and what makes
 * its input incomplete or foreign. Cannot detect that findings have been removed if the rule's status was changed as well.
 */
function inconsistencies(verdict: Verdict, now: Date) {
  const { rules, selection, startedAt, suite, target } = verdict
  const start = Date.parse(startedAt)
  if (Number.isNaN(start)) return ['its start time is invalid']

  const isKnown = unknownVersion(suite.version) === null
  // If an error leaves no disk space, the verdict is written without its rules and waivers.
  const isError = verdict.verdict === 'error'
  const ids = rules.map(({ id }) => id)
  const idsOf = (isWrong: (rule: VerdictRule) => boolean) => rules.filter(isWrong).map(({ id }) => id)
  const subjects: Readonly<Record<string, readonly string[]>> = {
    'it lacks rules, although nothing was selected':
      isKnown && !isError && selection.only === null ? ruleIds.filter((id) => !ids.includes(id)) : [],
    'it contains a rule twice': ids.filter((id, place) => ids.indexOf(id) < place),
    'its suite version gives them a different level': idsOf(
      ({ id, level }) => isKnown && isRuleId(id) && level !== ruleOf(id).level,
    ),
    'their status does not follow from their findings': idsOf((rule) => !hasDueStatus(rule, verdict)),
    'their answers showed breaches, but have no finding': idsOf(
      ({ power, findings, follows = [] }) =>
        (power?.faulty ?? 0) > 0 && findings.length + follows.length === 0,
    ),
    'no listed waiver covers its exceptions on the day of the run': isError ? [] : unagreed(verdict),
    [`it judges ${shown(target.baseUrl ?? 'no address')}, but exchanges are with another address`]: idsOf(
      ({ sample, findings }) =>
        [sample, ...findings.map(({ exchange }) => exchange)].some((one) => isElsewhere(one, target)),
    ),
  }
  return [
    ...(start - now.getTime() > mostAheadMs ? ['it began in the future'] : []),
    ...conclusionMistakes(verdict),
    ...Object.entries(subjects).flatMap(([clause, [first, ...others]]) => {
      const more = others.length === 0 ? '' : ` and ${others.length} more`
      return first === undefined ? [] : [`${clause} (${shown(first)}${more})`]
    }),
  ]
}

/** Checks that the word, exit code and reasons follow from the rules. The failure behind an error is not recorded in the rules. */
function conclusionMistakes(verdict: Verdict) {
  const { verdict: word, exitCode, because, suite } = verdict
  const due = concludeAgain(verdict)
  const isError = exitCode === 4 || (exitCode === 2 && due.exitCode !== 4)
  if (word === 'error' && isError && because.length > 0) return []
  if (word !== due.verdict || exitCode !== due.exitCode) {
    const [reason] = due.because
    const why = reason === undefined ? '' : ` (${shown(reason)})`
    return [`it says ${word} with exit code ${exitCode}, but by its rules it is ${due.verdict}${why}`]
  }
  // Other versions may word their reasons differently.
  const isSame = suite.version !== packageVersion() || isDeepStrictEqual(because, due.because)
  return isSame ? [] : ['its reasons do not follow from its rules']
}

/** Areas whose rules may have breaches that only warn: breaches inferred only from HTTP or from a name, and deviations from a baseline. */
const warningAreas = /^(?:fuzz|quota|tolerance|versioning)\//

/** Whether a rule has the status that follows from its unwaived findings. */
function hasDueStatus(rule: VerdictRule, { strict }: Verdict) {
  const { id, level, status, findings } = rule
  const mayWarn = !isRuleId(id) || warningAreas.test(id) || runWideRules.some((one) => one === id)
  if (!mayWarn && findings.some(({ warning }) => warning === true)) return false
  const open = openFindings(rule)
  if (open.length > 0) return status === statusOfBreach(level, open, strict)
  return status !== 'failed' && status !== 'warned'
}

/** The rules and endpoints with an exception that no listed waiver covers on the day of the run. */
function unagreed({ rules, waivers, target, startedAt, profile }: Verdict): readonly string[] {
  const day = utcDay(new Date(startedAt))
  const isAgreed = (waivable: Waivable, text: string | null) =>
    waivers
      .filter((one) => one.used && !one.expired && covers(one, waivable, day))
      .some((one) => text?.includes(waiverReason(one)))
  const isOpen = (rule: VerdictRule) => {
    const mayBeUntested = rule.level === 'documented' && profiles[profile].demandsEveryRule
    return waivedParts(rule).some(
      ({ text, ...part }) => !isAgreed(part, part.fingerprint === null && !mayBeUntested ? null : text),
    )
  }
  const endpoints = target.notJudged.filter(
    ({ waived, fingerprint }) =>
      waived !== undefined && !isAgreed({ rule: 'endpoints/list-succeeds', fingerprint }, waived),
  )
  return [...rules.filter(isOpen).map(({ id }) => id), ...endpoints.map(({ endpoint }) => endpoint)]
}

/** Whether an exchange was with something other than the target. This cannot be determined if a credential has been masked in the URL. */
function isElsewhere(exchange: ShownExchange | null, { baseUrl }: Verdict['target']) {
  if (exchange === null) return false
  const { url } = exchange.request
  const address = url.split('/').slice(0, (baseUrl ?? '').split('/').length)
  if (address.some((part) => /<(?:part of )?[A-Z][A-Z\d]*_[^<>]+>/.test(part))) return false
  return baseUrl === null || !url.startsWith(baseUrl) || !/^[/ ]/.test(url.slice(baseUrl.length))
}

/** Makes text from the file safe to display, whatever its length and content. */
function shown(text: string) {
  return printable(beginning(text, 100))
}

import { resolve } from 'node:path'
import { unwaivable, waiverDrafts, waiverLine, type WaiverDraft } from '../../report/model/cause-view.ts'
import { shownText } from '../../report/model/finding-view.ts'
import { headlineWord } from '../../report/model/headline.ts'
import { credentialSearch, exposed, hideSecrets } from '../../settings/hide-secrets.ts'
import { inputWith, readSources } from '../../settings/sources.ts'
import { plural } from '../../text/counts.ts'
import { printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { readVerdict } from '../../verdict/read-verdict.ts'
import type { Verdict, VerdictWaiver } from '../../verdict/verdict.ts'
import { nextCommand, refuse, said, writeNewFile, type Declare } from './command.ts'
import type { Console } from './console.ts'

/** `waive`: drafts, for review, a waivers file that covers everything that prevents a run from passing. Never overwrites a file. */
export const waiveCommand: Declare = (program, acts) =>
  program
    .command('waive')
    .description('draft a waivers file that covers everything that stops a run, with an entry for each cause')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'file to write; an existing file is never overwritten')
    .option('--reason <text>', 'why this is accepted; fill it in later if omitted')
    .option('--owner <text>', 'who is responsible; fill it in later if omitted')
    .action(acts(draftWaivers))

interface WaiveFlags {
  readonly out: string
  readonly reason?: string
  readonly owner?: string
}

async function draftWaivers(console: Console, given: string, flags: WaiveFlags): Promise<void> {
  const { cwd } = console
  await refuseCredentials(flags, console)
  const verdict = await readVerdict(resolve(cwd, given), console.now())
  const drafts = waiverDrafts(verdict)
  if (drafts.length === 0 || verdict.verdict === 'error') {
    const word = `the run in ${given} is ${headlineWord(verdict)}`
    const why = verdict.because.map((one) => shownText(one)).join('; ')
    throw new UnusableInput(
      `there is nothing to waive: ${verdict.exitCode === 0 ? word : `no waiver can change that ${word}: ${why}`}`,
    )
  }
  const kept = verdict.waivers.filter(({ expired, gone }) => !expired && gone !== true)
  const lines = [...kept.map(entryOf), ...drafts.map((draft) => waiverLine(draft, verdict, flags))]
  await writeNewFile(flags.out, `[\n  ${lines.join(',\n  ')}\n]\n`, cwd)
  for (const line of told(verdict, drafts, kept.length, { ...flags, cwd }))
    console.out(`${printable(line)}\n`)
}

/** Reports show waivers unchanged. */
async function refuseCredentials(
  { reason, owner, out }: WaiveFlags,
  { env, cwd, now }: Console,
): Promise<void> {
  const { credentials } = await readSources(inputWith({ env, cwd, now: now() }))
  const search = credentialSearch(credentials)
  const texts = Object.entries({
    '--reason': reason ?? '',
    '--owner': owner ?? '',
    '--out': out,
  })
  const found = texts
    .filter(([, text]) => search.in(text) !== null)
    .map(([flag, text]) => exposed(flag, text))
  refuse(hideSecrets(found, search), 'nothing was written')
}

/** A waiver from the run, as an entry in the new file. */
function entryOf({ rule, fingerprint, fingerprints, reason, owner, expires }: VerdictWaiver): string {
  const covers = {
    rule: rule ?? undefined,
    fingerprint: fingerprint ?? undefined,
    fingerprints,
  }
  return JSON.stringify({ ...covers, reason, owner, expires })
}

/** The lines that describe the result: the file, its entries, and the next step. */
function told(
  verdict: Verdict,
  drafts: readonly WaiverDraft[],
  kept: number,
  { out, reason = '', owner = '', cwd }: WaiveFlags & Pick<Console, 'cwd'>,
): readonly string[] {
  const missing = said(reason === '' && 'reason', owner === '' && 'owner')
  const fill = missing.length === 0 ? '' : `fill in ${missing.join(' and ')} of each entry, `
  const left = unwaivable(verdict)
  const run = nextCommand(['run', '--profile', verdict.profile, '--waivers', out], cwd)
  return said(
    `${out} was written: ${plural(drafts.length, 'exception')} for review.`,
    kept > 0 && `The file begins with the ${plural(kept, 'waiver')} of that run, unchanged.`,
    `Review it, ${fill}then run again: ${run}`,
    '',
    ...drafts.map(({ about }, place) => `entry ${kept + place + 1}: ${shownText(about)}`),
    ...(left.length === 0 ? [] : ['', 'No waiver can cover these rules, so the run stays incomplete:']),
    ...left.map(({ id, because }) => `  ${id}: ${shownText(because ?? 'no reason was given')}`),
  )
}

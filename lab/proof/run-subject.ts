import { rm } from 'node:fs/promises'
import { clients } from '../../lib/serve/reference/clients.ts'
import { leaks } from '../../tests/leaks/leaks.ts'
import { runInProcess } from '../../tests/support/in-process.ts'
import {
  emptyFolder,
  reportsFolderOf,
  rulesThat,
  runProgram,
  type ProgramResult,
} from '../../tests/support/program.ts'
import { given } from './given.ts'
import { judgeOutcome } from './outcome.ts'
import { followReplays } from './replays.ts'
import { longestRunMs, mostMemoryMiB } from './resources.ts'
import type { Job, Outcome } from './subject.ts'
import { subjectOf } from './subjects.ts'

/** Starts the subject of a job, runs the whole program against it, and searches all that it wrote for credentials. */
export async function runSubject(job: Job): Promise<Outcome> {
  const subject = subjectOf(job)
  const cwd = await emptyFolder()
  const started = await subject.start()
  const env = {
    RUN_PROFILE: job.profile,
    // Anything on standard error is a mistake, and a run on a busy machine would tell of its progress there.
    RUN_QUIET: 'true',
    ...(job.fuzzCases === null ? {} : { RUN_FUZZ_CASES: String(job.fuzzCases) }),
    ...(await given(subject, cwd)),
    ...started.env,
  }
  try {
    // Time and memory are bounded where a target may be after them; there the program is a process of its own.
    const isBounded = subject.kind === 'hostile' || subject.kind === 'cannot be judged'
    const result = await (isBounded ? runProgram : runInProcess)([], { env, cwd, limitMs: longestRunMs })
    const judged = judgeOutcome(subject, result)
    const followed =
      job.replays === undefined || isBounded
        ? null
        : await followReplays(job.name, result.verdict, { env, cwd })
    const shortcomings = [
      ...judged.shortcomings,
      ...excesses(result),
      ...(await leaksIn(result, env)),
      ...(followed?.shortcomings ?? []),
    ]
    return { ...job, ...figures(result), ...judged, ...followed, shortcomings }
  } finally {
    await started.close()
    await rm(cwd, { recursive: true, force: true })
  }
}

function figures(
  result: ProgramResult,
): Pick<Outcome, 'code' | 'red' | 'failed' | 'notJudged' | 'causes' | 'requests' | 'seconds' | 'memoryMiB'> {
  const { code, verdict, durationMs, memoryMiB } = result
  return {
    code,
    red: rulesThat(verdict, 'failed', 'warned'),
    failed: rulesThat(verdict, 'failed'),
    notJudged: rulesThat(verdict, 'inconclusive', 'untested'),
    causes: verdict?.causes?.length ?? 0,
    requests: verdict?.requests.sent ?? 0,
    seconds: Math.round(durationMs / 10) / 100,
    memoryMiB: memoryMiB === null ? null : Math.round(memoryMiB),
  }
}

/** Credentials that can be read in anything that a run wrote or printed. */
async function leaksIn(
  { stdout, stderr, cwd }: ProgramResult,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const told = Object.entries(env).flatMap(([name, value]) =>
    /_(?:API|SECRET)_KEY$/.test(name) ? [value] : [],
  )
  const issued = Object.values(clients).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  const found = await leaks({ stdout, stderr, reportsFolder: reportsFolderOf(cwd) }, [
    ...new Set([...told, ...issued]),
  ])
  return found.map((sentence) => `a credential leaks: ${sentence}`)
}

/** What was more than a run may take. */
function excesses({ durationMs, memoryMiB, code }: ProgramResult): readonly string[] {
  return [
    ...(code === null ? [`was killed after ${Math.round(durationMs / 1_000)} s`] : []),
    ...(memoryMiB !== null && memoryMiB > mostMemoryMiB
      ? [`took ${Math.round(memoryMiB)} MiB of memory`]
      : []),
  ]
}

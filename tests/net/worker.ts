import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { emptyFolder, runProgram } from '../program.ts'
import { given } from '../proof/given.ts'
import { longestRunMs } from '../proof/resources.ts'
import type { Job } from '../proof/subject.ts'
import { subjectOf } from '../proof/subjects.ts'
import type { Recorded } from './recorded.ts'
import { arrivedRequests, tapServers } from './tap.ts'

tapServers()
process.on('message', ({ job, file }: { readonly job: Job; readonly file: string }) => void work(job, file))

async function work(job: Job, file: string): Promise<void> {
  try {
    await writeFile(file, gzipSync(JSON.stringify(await record(job))))
    process.send?.({ failed: null })
  } catch (error) {
    process.send?.({ failed: error instanceof Error ? error.stack : String(error) })
  }
}

async function record(job: Job): Promise<Recorded> {
  const subject = subjectOf(job)
  const cwd = await emptyFolder()
  const started = await subject.start()
  try {
    const needed = await given(subject, cwd)
    arrivedRequests()
    const env = { RUN_PROFILE: 'gate', RUN_QUIET: 'true', ...needed, ...started.env }
    const { code, stdout, stderr, verdict } = await runProgram([], { env, cwd, limitMs: longestRunMs })
    const read = async (name: string): Promise<readonly [string, string]> => [
      name,
      plain(await readFile(join(cwd, 'reports', name), 'utf8'), cwd),
    ]
    const names = (await readdir(join(cwd, 'reports'), { recursive: true, withFileTypes: true })).flatMap(
      (entry) => (entry.isFile() && entry.parentPath === join(cwd, 'reports') ? [entry.name] : []),
    )
    const allure = await allureText(join(cwd, 'reports/allure-results'), cwd)
    // Which answer came first is drawn by the network.
    const rules = verdict?.rules.map((rule) => ({ ...rule, sample: null }))
    return {
      subject: `${job.kind} ${job.name}`,
      code,
      rules: Object.fromEntries((verdict?.rules ?? []).map(({ id, status }) => [id, status])),
      findings: (verdict?.rules ?? [])
        .flatMap(({ id, findings }) => findings.map((one) => `${id} ${one.fingerprint}`))
        .toSorted(),
      requests: arrivedRequests(),
      reports: {
        stdout: plain(stdout, cwd),
        stderr: plain(stderr, cwd),
        'allure-results': allure,
        ...Object.fromEntries(await Promise.all(names.map(read))),
        'verdict.json': plain(JSON.stringify({ ...verdict, rules }, null, 1), cwd),
      },
    }
  } finally {
    await started.close()
    await rm(cwd, { recursive: true, force: true })
  }
}

/** All results, sorted, so that names drawn anew say nothing; without attachments, of which some are samples. */
async function allureText(folder: string, cwd: string): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.includes('-attachment'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts
    .map((text) => plain(text, cwd))
    .toSorted()
    .join('\n')
}

/** A text without dates, addresses, durations, names drawn anew and the folder of the run. */
function plain(text: string, cwd: string): string {
  return (
    text
      .replaceAll(cwd, '<folder>')
      .replaceAll(/(127\.0\.0\.1|localhost|\[::1\])(:|%3A)\d+/g, '$1:0')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, '<date>')
      .replaceAll(/\b(\d{1,2} [A-Z][a-z]+ 20\d\d|20\d\d-\d\d-\d\d)\b/g, '<date>')
      .replaceAll(/\b\d\d:\d\d(:\d\d)?\b/g, '<time>')
      .replaceAll(/("(?:durationMs|p50|p95|p99|max|start|stop|buildOrder)": ?)[\d.]+/g, '$1<n>')
      // How many health checks there are is drawn by the network, too.
      .replaceAll(/\b\d+ of( at most)? 500\b/g, '<n> of$1 500')
      .replaceAll(/("(?:sent|endpoints\/list-succeeds)": ?)\d+/g, '$1<n>')
      .replaceAll(/(?<=<td class="number">)\d+/g, '<n>')
      .replaceAll(/\b(time|width)="[\d.]+"/g, '$1="<n>"')
      .replaceAll(/\b\d+([.,]\d+)? ?(ms|s|min|seconds|minutes)\b/g, '<n> $2')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/[0-9a-f]{32}/g, '<hash>')
  )
}

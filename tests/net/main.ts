import { fork, type ChildProcess } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { built } from '../../bin/build.mjs'
import { jobsIn, jobsOf } from '../proof/jobs.ts'
import type { Job } from '../proof/subject.ts'
import { allSubjects } from '../proof/subjects.ts'
import { differencesOf, type Recorded } from './recorded.ts'

const usage = `node --import tsx tests/net/main.ts
  record FOLDER [--only TEXT] [--part K/N] [--at-once N]
      runs a gate against every subject of the proof, and keeps what came of each in the folder
  compare BEFORE AGAIN AFTER
      what differs in AFTER from BEFORE, but for what differs between BEFORE and AGAIN, two recordings of the same state
`

const workerFile = fileURLToPath(new URL('worker.ts', import.meta.url))

async function record(
  folder: string,
  { only, part, atOnce }: { readonly only: string; readonly part: string; readonly atOnce: number },
): Promise<number> {
  built()
  await mkdir(folder, { recursive: true })
  const [place = 1, of = 1] = part.split('/').map(Number)
  const subjects = allSubjects.filter(({ name }) => name.includes(only))
  const jobs = jobsIn({ place, of }, jobsOf(subjects, ['gate']))
  const waiting = jobs.entries()
  let failures = 0
  const work = async (worker: ChildProcess): Promise<void> => {
    for (const [index, job] of waiting) {
      const failed = await recorded(worker, job, join(folder, fileOf(job)))
      if (failed !== null) {
        failures += 1
        process.stdout.write(`✗ ${job.kind} ${job.name}: ${failed}\n`)
      }
      if (index % 50 === 49) process.stdout.write(`${index + 1} of ${jobs.length}\n`)
    }
  }
  const workers = Array.from({ length: atOnce }, () => fork(workerFile, { execArgv: ['--import', 'tsx'] }))
  await Promise.all(workers.map(work))
  for (const worker of workers) worker.kill()
  process.stdout.write(`${jobs.length - failures} recorded, ${failures} failed\n`)
  return failures === 0 ? 0 : 1
}

function fileOf({ kind, name }: Job): string {
  return `${kind}-${name}.json.gz`.replaceAll(' ', '-')
}

async function recorded(worker: ChildProcess, job: Job, file: string): Promise<string | null> {
  return new Promise((ended, died) => {
    worker.once('exit', died)
    worker.once('message', ({ failed }: { readonly failed: string | null }) => {
      worker.off('exit', died)
      ended(failed)
    })
    worker.send({ job, file })
  })
}

async function compare(before: string, again: string, after: string): Promise<number> {
  const read = async (folder: string, name: string): Promise<Recorded> =>
    JSON.parse(gunzipSync(await readFile(join(folder, name))).toString())
  let [changed, same, left] = [0, 0, 0]
  for (const name of await readdir(after)) {
    const [one, other, now] = await Promise.all([before, again, after].map((folder) => read(folder, name)))
    if (one === undefined || other === undefined || now === undefined) continue
    const varying = new Set(differencesOf(one, other).map(({ part }) => part))
    const found = differencesOf(one, now)
    const told = found.filter(({ part }) => !varying.has(part))
    left += varying.size
    if (varying.size > 0) process.stdout.write(`· ${now.subject}: left out: ${[...varying].join(', ')}\n`)
    if (told.length === 0) same += 1
    else changed += 1
    for (const { part, text } of told) process.stdout.write(`✗ ${now.subject}: ${part}\n${text}\n`)
  }
  process.stdout.write(`${same} the same, ${changed} changed; ${left} parts vary by themselves\n`)
  return changed === 0 ? 0 : 1
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    'at-once': { type: 'string', default: '3' },
  },
})
const [command, ...folders] = positionals
const [before = '', again = '', after = ''] = folders.map((folder) => resolve(folder))
if (command === 'record' && folders.length === 1)
  process.exitCode = await record(before, { ...values, atOnce: Number(values['at-once']) })
else if (command === 'compare' && folders.length === 3) process.exitCode = await compare(before, again, after)
else {
  process.stderr.write(usage)
  process.exitCode = 2
}

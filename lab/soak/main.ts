import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { built } from '../../bin/build.mjs'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import type { ProfileName } from '../../lib/settings/profiles.ts'
import { atMost, emptyFolder, rulesThat, runProgram } from '../../tests/support/program.ts'
import { profileNames } from '../judge/service.ts'
import { drawing } from '../seed.ts'
import { soakMarkdown, type Detection, type Soak } from './soak-markdown.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One in fifty requests meets a reset connection, and every answer waits for up to 50 ms: a bad network. */
const resets = 0.02
const jitterMs = 50
/** One answer in a hundred is wrong. */
const wrongAnswers = 0.01
/** How many runs say how often a profile finds that; a nightly run sends thirty times as much as a gate. */
const detectionRuns: Readonly<Record<ProfileName, number>> = { gate: 100, acceptance: 20, nightly: 5 }
/** A nightly run of so many requests waits longer than the tests' own runs may. */
const limitMs = 600_000

type Intervene = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

/** Resets some connections and delays every answer; conformant but for that. */
async function badNetwork(_: IncomingMessage, response: ServerResponse): Promise<boolean> {
  await sleep(draw() * jitterMs)
  if (draw() >= resets) return false
  response.socket?.resetAndDestroy()
  return true
}

/** The same, and now and then wrong: an error that is documented nowhere, in place of an answer of any kind. */
async function badNetworkAndService(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  if (await badNetwork(request, response)) return true
  if (draw() >= wrongAnswers) return false
  response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"internal server error"}')
  return true
}

interface Ended {
  readonly code: number | null
  readonly because: string
  readonly requests: number
  readonly seconds: number
  readonly failed: readonly string[]
}

async function oneRun(profile: ProfileName, intervene: Intervene): Promise<Ended> {
  const service = await startReference({ intervene })
  const cwd = await emptyFolder()
  try {
    const env = { ...settingsOf(service), RUN_PROFILE: profile }
    const { code, verdict, stderr, durationMs } = await runProgram([], { cwd, env, limitMs })
    return {
      code,
      because: [...(verdict?.because ?? []), stderr].join(' ').trim(),
      requests: verdict?.requests.sent ?? 0,
      seconds: durationMs / 1_000,
      failed: rulesThat(verdict, 'failed'),
    }
  } finally {
    await service.close()
    await rm(cwd, { recursive: true, force: true })
  }
}

/** One gate after the other; a sentence for each that did not end in 0. */
async function gatesInARow(gates: number): Promise<Soak['conformant']> {
  const wrong: string[] = []
  let requests = 0
  let seconds = 0
  for (let gate = 1; gate <= gates; gate += 1) {
    const ended = await oneRun('gate', badNetwork)
    requests += ended.requests
    seconds += ended.seconds
    if (ended.code !== 0) wrong.push(`gate ${gate} of ${gates} ended in ${ended.code}: ${ended.because}`)
    if (ended.code !== 0 || gate % 10 === 0)
      process.stdout.write(`${gate} of ${gates} gates, ${wrong.length} wrong\n`)
  }
  return { gates, wrong, requests, seconds: Math.round(seconds) }
}

/** How often a profile finds the service that is wrong once in a hundred answers. */
async function detection(profile: ProfileName): Promise<Detection> {
  const runs = detectionRuns[profile]
  const inTurn = atMost(3)
  const ended = await Promise.all(
    Array.from({ length: runs }, () => inTurn(() => oneRun(profile, badNetworkAndService))),
  )
  const found = ended.filter(({ code }) => code === 1).length
  process.stdout.write(`${profile}: found in ${found} of ${runs} runs\n`)
  const requests = Math.round(ended.reduce((sum, one) => sum + one.requests, 0) / runs)
  return {
    profile,
    runs,
    found,
    requests,
    otherEnds: ended.flatMap(({ code }) => (code === 1 ? [] : [code])),
  }
}

const { values } = parseArgs({
  options: { gates: { type: 'string', default: '200' }, detection: { type: 'boolean', default: false } },
})
const gates = Number(values.gates)
if (!Number.isInteger(gates) || gates < 1) {
  process.stderr.write(`--gates: given ${values.gates}, expected a number from 1\n`)
  process.exit(2)
}
const draw = drawing()
built()
const conformant = await gatesInARow(gates)
const found: Detection[] = []
if (values.detection) for (const profile of profileNames) found.push(await detection(profile))
const soak: Soak = { date: new Date().toISOString().slice(0, 10), conformant, detection: found }
await mkdir(join(root, 'reports'), { recursive: true })
await writeFile(join(root, 'reports/soak.json'), `${JSON.stringify(soak, null, 2)}\n`)
if (values.detection) await writeFile(join(root, 'docs/soak.md'), soakMarkdown(soak))
for (const sentence of conformant.wrong) process.stdout.write(`✗ ${sentence}\n`)
process.stdout.write(`${gates - conformant.wrong.length} passed, ${conformant.wrong.length} failed\n`)
process.exitCode = conformant.wrong.length === 0 ? 0 : 1

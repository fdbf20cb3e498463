// Runs the tests of npm test on mutated code, on request of the parent process.
import { join, relative } from 'node:path'
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node'
import tests from '../../tests/vitest.config.ts'
import { root } from '../mutants/instrumented.ts'

/** Limits of a run: processor time in seconds, and a multiple of the time of its files without a mutant. */
const [mostSeconds, mostTimes] = [60, 5]

class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files)
  }
}

const startsBuilt = 'await import(chunk)'
let texts: ReadonlyMap<string, string> = new Map()
const mutated = {
  name: 'mutated code',
  enforce: 'pre' as const,
  load: (id: string) => texts.get(relative(root, id)) ?? null,
  transform(code: string, id: string) {
    if (!id.endsWith('/tests/support/in-process.ts')) return null
    if (!code.includes(startsBuilt)) throw new Error(`${id} does not load the built program as expected`)
    // Within this process, the program is the mutated code, not the built one.
    return code.replace(startsBuilt, "await import('../../lib/doors/cli/program.ts')")
  },
}

const limits = { testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 1, pool: 'threads' as const }
const projects = (tests.test?.projects ?? []).flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project) || project.test?.name === 'programs') return []
  const setupFiles = ['lab/mutation/setup.ts', ...[project.test?.setupFiles ?? []].flat()]
  const ours = { plugins: [mutated], test: { ...project.test, ...limits, setupFiles } }
  if (project.test?.name !== 'unit') return [ours]
  return [ours, { ...ours, test: { ...ours.test, name: 'gate', include: ['lab/mutation/gate.ts'] } }]
})
const inOrder = { sequence: { sequencer: AsGiven }, reporters: [{}], maxWorkers: 1, watch: false }
const vitest = await createVitest('test', { root, config: false, ...inOrder, projects })
await vitest.standalone()
const files = new Map<string, TestSpecification>()

process.on('disconnect', () => process.exit())
process.on('message', (asked: Asked) => void answer(asked))

/** To find the mutants that a judge reaches among the tests of a folder, or to run test files with a mutant. */
type Asked = { readonly texts: typeof texts } & (Parameters<typeof meet>[0] | Parameters<typeof test>[0])

async function answer(asked: Asked): Promise<void> {
  if (files.size === 0) {
    texts = asked.texts
    for (const file of await vitest.globTestSpecifications()) files.set(nameOf(file), file)
  }
  process.send?.(await ('judge' in asked ? meet(asked) : test(asked)))
}

const nameOf = ({ project, moduleId }: Pick<TestSpecification, 'project' | 'moduleId'>): string =>
  `${project.name} ${relative(root, moduleId)}`

function run(chosen: readonly TestSpecification[], bail: number) {
  vitest.config.bail = bail
  vitest.state.filesMap.clear()
  return vitest.runTestSpecifications([...chosen])
}

/**
 * Runs a judge's test files that load mutated code, without a mutant. Returns them with the evaluations of each mutant, by number, while
 * loading modules and while running tests; the results of gates, by test; and the test files that load each mutated file.
 */
export async function meet({ judge, folder }: { readonly judge: string; readonly folder: string }) {
  const judgeOf = ({ project, moduleId }: TestSpecification) =>
    project.name === 'gate' ? 'gate' : relative(root, moduleId).startsWith(folder) ? 'near' : 'far'
  const mutatedFiles = [...texts.keys()].map((file) => join(root, file))
  vitest.provide('active', null)
  vitest.provide('gates', {})
  vitest.config.related = mutatedFiles
  const related = await vitest.getRelevantTestSpecifications()
  const chosen = related.filter((file) => judgeOf(file) === judge)
  const { testModules } = await run(chosen, 0)
  const gates: Record<string, string> = {}
  const met = testModules.map((module) => {
    for (const one of module.children.allTests()) gates[one.name] = one.meta().came ?? ''
    const { duration, collectDuration } = module.diagnostic()
    const seconds = (duration + collectDuration) / 1_000
    return { name: nameOf(module), ok: module.ok(), seconds, ...module.meta().met }
  })
  const importers = new Map(mutatedFiles.map((file) => [relative(root, file), importersOf(file)]))
  return { files: met, gates, importers }
}

/** The test files that load this file. */
function importersOf(file: string): readonly string[] {
  const importers = vitest.projects.flatMap((project) => {
    const found = new Set(project.vite.environments['ssr']?.moduleGraph.getModulesByFile(file))
    for (const module of found) for (const importer of module.importers) found.add(importer)
    return [...found].map((module) => nameOf({ project, moduleId: module.file ?? '' }))
  })
  return importers.filter((name) => files.has(name))
}

type Limits = Readonly<{ mutant: string; hitLimit: number; seconds: number }>
type Mutated = Limits & Readonly<{ files: readonly string[]; gates: Readonly<Record<string, string>> }>

/**
 * Runs these test files in order until the mutant makes a test fail. Returns that file, or null, and whether it was stopped for taking
 * too long or looping.
 */
export async function test(asked: Mutated) {
  const began = process.cpuUsage()
  const bound = setInterval(() => {
    const { user, system } = process.cpuUsage(began)
    if ((user + system) / 1e6 > mostSeconds + mostTimes * asked.seconds) process.exit(1)
  }, 1_000)
  vitest.provide('active', asked)
  vitest.provide('gates', asked.gates)
  const chosen = asked.files.flatMap((name) => files.get(name) ?? [])
  const { testModules, unhandledErrors } = await run(chosen, 1)
  clearInterval(bound)
  const failed = testModules.find((module) => module.state() === 'failed')
  const errors = [...(failed?.children.allTests('failed') ?? [])].flatMap((one) => one.result().errors ?? [])
  return {
    by: failed === undefined ? (unhandledErrors.length > 0 ? 'an unhandled error' : null) : nameOf(failed),
    late: errors.some(({ message }) => /Hit count limit reached|timed out in \d/.test(message)),
  }
}

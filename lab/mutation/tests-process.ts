// Runs the tests of npm test on mutated code, as the process that started it asks.
import { join, relative } from 'node:path'
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node'
import tests from '../../tests/vitest.config.ts'
import { root } from './rooms.ts'
import type { Asked, Met, Tested } from './processes.ts'

/** A run may take so much processor time, in seconds, and so many times what its files take without a mutant. */
const [mostSeconds, mostTimes] = [60, 5]

class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files)
  }
}

const startsBuilt = "await import(\n  new URL('lib/chunks/program.js', built()).href\n)"

let texts: ReadonlyMap<string, string> = new Map()
const mutated = {
  name: 'mutated code',
  enforce: 'pre' as const,
  load: (id: string) => texts.get(relative(root, id)) ?? null,
  transform(code: string, id: string) {
    if (!id.endsWith('/tests/support/in-process.ts')) return null
    if (!code.includes(startsBuilt)) throw new Error(`${id} does not load the built program as expected`)
    // The program within this process is the mutated one, and not the built one.
    return code.replace(startsBuilt, "await import('../../lib/doors/cli/program.ts')")
  },
}

const projects = (tests.test?.projects ?? []).flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project) || project.test?.name === 'programs') return []
  const setupFiles = ['lab/mutation/setup.ts', ...[project.test?.setupFiles ?? []].flat()]
  const limits = { testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 1 }
  return [{ plugins: [mutated], test: { ...project.test, ...limits, setupFiles, pool: 'threads' as const } }]
})
const vitest = await createVitest('test', {
  root,
  config: false,
  watch: false,
  reporters: [{}],
  bail: 1,
  maxWorkers: 1,
  sequence: { sequencer: AsGiven },
  projects,
})
await vitest.standalone()
const specifications = new Map<string, TestSpecification>()

process.on('disconnect', () => process.exit())
process.on('message', (asked: Asked) => {
  void (asked.kind === 'meet' ? meet(asked) : test(asked)).then((said) => process.send?.(said))
})

async function open(given: ReadonlyMap<string, string>): Promise<void> {
  if (specifications.size > 0) return
  texts = given
  for (const one of await vitest.globTestSpecifications()) specifications.set(nameOf(one), one)
}

function nameOf({ project, moduleId }: Pick<TestSpecification, 'project' | 'moduleId'>): string {
  return `${project.name} ${relative(root, moduleId)}`
}

/** Runs the tests of this folder, or all that import mutated code, without a mutant. */
async function meet(asked: Extract<Asked, { kind: 'meet' }>): Promise<Met> {
  await open(asked.texts)
  vitest.provide('active', null)
  vitest.config.bail = 0
  vitest.config.related = [...texts.keys()].map((file) => join(root, file))
  const related = await vitest.getRelevantTestSpecifications()
  const chosen = related.filter(
    (one) => relative(root, one.moduleId).startsWith(asked.within) && !asked.without.includes(nameOf(one)),
  )
  const { testModules } = await vitest.runTestSpecifications(chosen)
  return {
    files: testModules.map((module) => {
      const { duration, collectDuration } = module.diagnostic()
      const ok = module.ok()
      return { name: nameOf(module), ok, seconds: (duration + collectDuration) / 1_000, ...module.meta().met }
    }),
    importers: new Map([...texts.keys()].map((file) => [file, importersOf(join(root, file))])),
  }
}

/** The test files that load this one. */
function importersOf(file: string): readonly string[] {
  const importers = vitest.projects.flatMap((project) => {
    const graph = project.vite.environments['ssr']?.moduleGraph
    const found = new Set(graph?.getModulesByFile(file))
    for (const module of found) for (const importer of module.importers) found.add(importer)
    return [...found].map(({ file: moduleId }) => nameOf({ project, moduleId: moduleId ?? '' }))
  })
  return importers.filter((name) => specifications.has(name))
}

/** Runs these test files, in this order, until one test fails of the mutant. */
async function test({
  texts: given,
  mutant,
  hitLimit,
  files,
  seconds,
}: Extract<Asked, { kind: 'test' }>): Promise<Tested> {
  await open(given)
  const began = process.cpuUsage()
  const bound = setInterval(() => {
    const { user, system } = process.cpuUsage(began)
    if ((user + system) / 1e6 > mostSeconds + mostTimes * seconds) process.exit(1)
  }, 1_000)
  vitest.provide('active', { mutant, hitLimit })
  vitest.config.bail = 1
  vitest.state.filesMap.clear()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    files.flatMap((name) => specifications.get(name) ?? []),
  )
  clearInterval(bound)
  const failed = testModules.find((module) => module.state() === 'failed')
  const errors = [...(failed?.children.allTests('failed') ?? [])].flatMap((one) => one.result().errors ?? [])
  return {
    by: failed === undefined ? (unhandledErrors.length > 0 ? 'an unhandled error' : null) : nameOf(failed),
    late: errors.some(({ message }) => /Hit count limit reached|timed out in \d/.test(message)),
  }
}

import { chmod, chown, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { describeWithPackages } from '../gateways/installed.ts'
import { reference } from '../support/program-test.ts'
import { emptyFolder, filled, settingsFor } from '../support/program.ts'
import { textOf } from '../support/syntax.ts'
import { documentsOf, kubernetesMistakes, type Mapping } from './readers.ts'
import { quick, runShell, verdictIn } from './steps.ts'
import { stubs, userRepository } from './user-repository.ts'

const isRoot = process.getuid?.() === 0

/** A folder that replaces the root of a container, with the process settings of its image. */
interface Container {
  readonly root: string
  readonly entrypoint: readonly string[]
  readonly cmd: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Executes a Dockerfile in a folder, with its COPY and RUN. npm is a stub that links installed packages. */
async function imageOf(dockerfile: string): Promise<Container> {
  const [context, root] = [await userRepository(), await emptyFolder()]
  const programs = await stubs('npm', ...(isRoot ? [] : ['chown']))
  // The container runs as a different user.
  await chmod(root, 0o755)
  const image = { workdir: '/', entrypoint: [''], cmd: [''], env: {} }
  for (const [, word = '', rest = ''] of dockerfile.matchAll(/^([A-Z]+) (.+)$/gm)) {
    const cwd = join(root, image.workdir)
    const shell = async (command: string): Promise<void> => {
      const { code, output } = await runShell(['-ec', command], { cwd, env: { context }, stubs: programs })
      if (code !== 0) throw new Error(`${word} ${rest}: ${output}`)
    }
    if (word === 'WORKDIR') await mkdir(join(root, (image.workdir = rest)), { recursive: true })
    else if (word === 'COPY') await shell(`here=$PWD; cd "$context"; cp ${rest.replace(/\.\/$/, '"$here"')}`)
    else if (word === 'RUN') await shell(rest.replaceAll(/ (?=\/)/g, ` ${root}`))
    else if (word === 'ENV')
      Object.assign(image.env, Object.fromEntries(rest.split(' ').map((one) => one.split('='))))
    else if (word === 'ENTRYPOINT') image.entrypoint = JSON.parse(rest)
    else if (word === 'CMD') image.cmd = JSON.parse(rest)
    else if (!['FROM', 'VOLUME', 'USER'].includes(word)) throw new Error(`unknown instruction: ${word}`)
  }
  await runShell(['-c', 'chmod -R a-w suite'], { cwd: root })
  return { root, ...image }
}

/** How to start a container, in addition to its image. */
type Start = Partial<Record<'command' | 'args', readonly string[]>> & { readonly env?: Container['env'] }

/** Runs the process of a container as an ordinary user without a home, with command and settings as in Docker and Kubernetes. */
async function start({ root, entrypoint, cmd, env }: Container, { command, args, env: own }: Start) {
  const given = { ...env, ...own }
  const words = [...(command ?? entrypoint), ...(args ?? (command === undefined ? cmd : []))]
    .map((word) => word.replaceAll(/\$\((\w+)\)/g, (_, name: string) => given[name] ?? ''))
    .map((word) => inside(root, word))
  const user = isRoot ? 'setpriv --reuid=1000 --regid=1000 --clear-groups ' : ''
  const settings = Object.entries(given).map(([name, value]) => [name, inside(root, value)] as const)
  return runShell(['-c', `exec ${user}"$@"`, 'container', ...words], {
    cwd: join(root, 'reports'),
    env: { HOME: '/nonexistent', ...Object.fromEntries(settings) },
  })
}

/** Puts the folders of a container below its root. */
function inside(root: string, text: string): string {
  return text.replaceAll(/(?<![\w.])\/(?=(?:suite|reports|targets)\b)/g, `${root}/`)
}

/** A Job, or that of a CronJob. */
function jobOf(resource: Mapping) {
  const { spec } = Object(resource)
  return spec.jobTemplate?.spec ?? spec
}

const podOf = (resource: Mapping) => jobOf(resource).template.spec

describeWithPackages('containers', () => {
  let image: Container
  beforeAll(async () => {
    image = await imageOf(textOf('docs/ci/Dockerfile'))
    await mount(image, 'targets.txt', listOfTargets)
  }, 300_000)

  test('the Dockerfile runs as an ordinary user who may write only the reports', async () => {
    const env = { ...settingsFor(await reference()), ...quick }

    const written = await start(image, { command: ['touch', '/suite/x'], env })
    const { code, output } = await start(image, { env })

    expect(output).toContain('CONFORMANT')
    expect((await verdictIn({ cwd: image.root }))?.exitCode).toBe(0)
    expect([written.code, code]).toEqual([1, 0])
    await rm(join(image.root, 'reports/verdict.json'))
  })

  test('agreed exceptions are in a file that the CronJob reads once their lines are active', () => {
    const text = textOf('docs/ci/kubernetes-cronjob.yml')
    const [active = {}] = documentsOf(text.replaceAll(/# (?=- \{ name: waivers|env: \[)/g, ''))
    const { containers, volumes } = podOf(active)
    const [{ env, volumeMounts }] = containers

    expect(kubernetesMistakes(active)).toEqual([])
    expect(env).toContainEqual({ name: 'RUN_WAIVERS', value: '/waivers/conformance-waivers.json' })
    expect(volumeMounts).toContainEqual({ name: 'waivers', mountPath: '/waivers', readOnly: true })
    expect(volumes).toContainEqual({ name: 'waivers', configMap: { name: 'conformance-waivers' } })
    expect(JSON.stringify(documentsOf(text))).not.toContain('waivers')
  })

  test.for([
    ['docs/ci/kubernetes-cronjob.yml', 'reports'],
    ['docs/ci/kubernetes-indexed-job.yml', 'reports/vendor-7'],
  ] as const)('keep no report of yesterday if Node itself fails at once: %s', async ([file, at]) => {
    const [job = {}] = documentsOf(textOf(file))
    const names = ['verdict.json', 'junit.xml', 'index.html', 'summary.md']
    const earlier = Object.fromEntries(names.map((name) => [name, '"CONFORMANT"']))
    const folder = await filled(join(image.root, at), earlier)
    if (isRoot) await chown(folder, 1000, 1000)
    const dying = await stubs('node')
    await chmod(dying, 0o755)

    const env = { JOB_COMPLETION_INDEX: '7', PATH: `${dying}${delimiter}${process.env['PATH'] ?? ''}` }
    const { code } = await start(image, { ...podOf(job).containers[0], env })

    expect(code).toBe(1)
    expect((await readdir(folder)).filter((name) => /\.(?:json|xml|html|md)$/.test(name))).toEqual([])
  })

  test('an Indexed Job judges ten targets and makes a page with a line for each', async () => {
    const [job = {}, comparison = {}] = documentsOf(textOf('docs/ci/kubernetes-indexed-job.yml'))
    const [container] = podOf(job).containers
    const right = await reference()
    const wrong = await reference({ faults: ['invalid-api-key-customer-not-found'] })
    // Nothing listens on port 9, and `staging` is not an address.
    const addresses: Readonly<Record<number, string>> = { 6: 'http://127.0.0.1:9', 8: 'staging' }
    const indices = Array.from({ length: 10 }, (_, index) => index)
    for (const index of indices) {
      const own = settingsFor(index === 4 ? wrong : right)
      const TARGET_BASE_URL = addresses[index] ?? own['TARGET_BASE_URL']
      const settings = { ...own, ...quick, TARGET_BASE_URL, TARGET_LABEL: `vendor ${index}` }
      const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`)
      await mount(image, `vendor-${index}.env`, lines.join(''))
    }

    // The last index has no line.
    const judged = (index: number) =>
      start(image, { ...container, env: { JOB_COMPLETION_INDEX: String(index) } })
    const ended = await Promise.all([...indices, 10].map(judged))
    const compared = await start(image, podOf(comparison).containers[0])

    const spec = { completionMode: 'Indexed', completions: 10, backoffLimitPerIndex: 2 }
    expect(job['spec']).toMatchObject({ jobTemplate: { spec } })
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 1, 0, 3, 0, 2, 0, 0])
    const page = await readFile(join(image.root, 'reports/index.html'), 'utf8')
    for (const index of [0, 4, 6, 9]) expect(page).toContain(`href="vendor-${index}/index.html"`)
    const worst =
      /✗ 1 vendor-4: PARTIAL, NONCONFORMANT;[^]*✗ 2 vendor-8: WITHOUT A VERDICT;[^]*! 3 vendor-6: NOT/
    expect(compared.output).toMatch(worst)
    expect(compared.output).toContain('1 of 10 targets has no verdict (exit 1)')
    expect(compared.code).toBe(1)
  })

  test.for([
    ['docs/ci/kubernetes-cronjob.yml', 'FailJob'],
    ['docs/ci/kubernetes-indexed-job.yml', 'FailIndex'],
  ] as const)('a failed pod is retried without a verdict, and has no more rights: %s', ([file, ends]) => {
    const [resource = {}] = documentsOf(textOf(file))
    const [{ name: containerName, securityContext }] = podOf(resource).containers

    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    // A drained node ends the run, which is then incomplete. Any other failure counts and is retried.
    expect(jobOf(resource).podFailurePolicy.rules).toEqual([
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: ends, onExitCodes: { containerName, operator: 'In', values: [1, 2, 3] } },
    ])
  })
})

/** Ten targets, in a layout that a user may choose. */
const listOfTargets = `# all\n${Array.from({ length: 10 }, (_, index) => `vendor-${index}`).join('\n\n')}\n`

/** Mounts a file of the Secret, which the group of the pod may read. */
async function mount({ root }: Container, name: string, text: string): Promise<void> {
  await filled(join(root, 'targets'), { [name]: text })
  await chmod(join(root, 'targets', name), 0o440)
  if (isRoot) await chown(join(root, 'targets', name), 0, 1000)
}

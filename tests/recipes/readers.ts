import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Ajv } from 'ajv'
import { bundledInto } from '../../lab/judge/bundle.ts'
import { emptyFolder } from '../support/program.ts'

const folder = fileURLToPath(new URL('readers', import.meta.url))
const installed = join(folder, 'node_modules')

/** Installs missing parsers and schemas from their lock file. If several processes do so at once, the first one wins. */
export function installReaders(): void {
  if (existsSync(installed)) return
  // In the same folder, because a folder can be renamed only within a file system.
  const own = mkdtempSync(join(folder, '.installing-'))
  try {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(folder, file), join(own, file))
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', own]
    execFileSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
    renameSync(join(own, 'node_modules'), installed)
  } catch (cause) {
    if (!existsSync(installed)) throw cause
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

/** A mapping of a YAML file. */
export type Mapping = Readonly<Record<string, unknown>>

/** The documents of a YAML file, each a mapping. */
export function documentsOf(text: string): readonly Mapping[] {
  const { parseAllDocuments } = createRequire(join(folder, 'package.json'))('yaml')
  const documents: readonly { readonly errors: readonly Error[]; toJS(): Mapping }[] = parseAllDocuments(text)
  const errors = documents.flatMap((document) => document.errors)
  if (errors[0] !== undefined) throw errors[0]
  return documents.map((document) => document.toJS())
}

/** Errors from GitHub's parser for a workflow or an action. */
export async function githubMistakes(kind: 'workflow' | 'action', text: string): Promise<readonly string[]> {
  const [module, name] =
    kind === 'workflow' ? ['index.js', 'parseWorkflow'] : ['actions/index.js', 'parseAction']
  // Node 20 can load its JSON modules only from a bundle.
  const input = join(installed, '@actions/workflow-parser/dist', module)
  const file = await bundledInto(join(await emptyFolder(), 'parser.mjs'), { input })
  const parser = await import(pathToFileURL(file).href)
  const trace = { error: () => {}, info: () => {}, verbose: () => {} }
  const { context } = parser[name]({ name: kind, content: text }, trace)
  const errors: readonly Error[] = context.errors.getErrors()
  return errors.map(({ message }) => message)
}

/** Errors from GitLab's published schema for a pipeline. */
export async function gitlabMistakes(text: string): Promise<readonly string[]> {
  const { schema } = await import(pathToFileURL(join(installed, 'gitlab-ci-local/src/schema/schema.js')).href)
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  validate(documentsOf(text)[0])
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`)
}

/** Errors from the schema of Kubernetes for a resource. */
export function kubernetesMistakes(resource: Mapping): readonly string[] {
  const kinds = createRequire(join(folder, 'package.json'))(
    `kubernetes-models/${String(resource['apiVersion'])}`,
  )
  try {
    new kinds[String(resource['kind'])](resource).validate()
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

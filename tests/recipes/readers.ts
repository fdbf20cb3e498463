import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Ajv } from 'ajv'
import { installIn } from '../../lab/bench/peers/load.ts'
import { bundledInto } from '../../lab/judge/bundle.ts'
import { emptyFolder } from '../support/program.ts'

const folder = fileURLToPath(new URL('readers', import.meta.url))
const installed = join(folder, 'node_modules')

/** Installs missing parsers and schemas. */
export const installReaders = (): void => installIn(folder)

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

/** GitHub's parsers of workflows and actions. Node 20 can load their JSON modules only from a bundle, which takes a second. */
const bundled = (module: string): Promise<string> =>
  emptyFolder().then((to) =>
    bundledInto(join(to, 'parser.mjs'), { input: join(installed, '@actions/workflow-parser/dist', module) }),
  )
const parsers: Record<string, Promise<string>> = {}

/** Errors from GitHub's parser for a workflow or an action. */
export async function githubMistakes(kind: 'workflow' | 'action', text: string): Promise<readonly string[]> {
  const [module, name] =
    kind === 'workflow' ? ['index.js', 'parseWorkflow'] : ['actions/index.js', 'parseAction']
  const parser = await import(pathToFileURL(await (parsers[module] ??= bundled(module))).href)
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
  const version = String(resource['apiVersion'])
  const kinds = createRequire(join(folder, 'package.json'))(`kubernetes-models/${version}`)
  try {
    new kinds[String(resource['kind'])](resource).validate()
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

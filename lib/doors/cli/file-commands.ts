import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Option } from 'commander'
import { isLink } from '../../report/folder/reports-folder.ts'
import { settingsOfClient } from '../../run/plan/suite-context.ts'
import { parseBaseUrl } from '../../settings/connection-settings.ts'
import { credentialSearch, exposedCredentials, hideSecrets } from '../../settings/hide-secrets.ts'
import { hintFrom, issue } from '../../settings/issue.ts'
import {
  importOpenApi,
  type OperationChoice,
  DocumentMistake,
  readDocument,
} from '../../settings/openapi/import-openapi.ts'
import { packageFolder } from '../../settings/package-version.ts'
import { isSet } from '../../settings/pipeline.ts'
import { profiles } from '../../settings/profiles.ts'
import { settingNamed, settingTable, type Texts } from '../../settings/setting-table.ts'
import { checkTexts, credentialsOfSource } from '../../settings/sources.ts'
import { readTextFile, sizeLimits } from '../../settings/user-file.ts'
import { refusalOf } from '../../specification/answers.ts'
import { clientNames, clientRows, type ClientName } from '../../specification/client-rows.ts'
import { listPath } from '../../specification/endpoints.ts'
import { flawOfClient } from '../../specification/flaws.ts'
import { MachineTooBusy } from '../../specification/within.ts'
import { firstOf, groupBy, memberNames } from '../../text/members.ts'
import { andMore, grouped, codeOf, errorText, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import {
  dotenvValue,
  lines,
  nextCommand,
  packageFile,
  refuse,
  withFlags,
  writeNewFile,
  type Call,
  type Declare,
} from './command.ts'

/** Supported pipelines, each with its file in docs/ci and its destination. */
const pipelines: Readonly<Record<string, readonly [source: string, name: string]>> = {
  github: ['github-gate.yml', '.github/workflows/conformance.yml'],
  gitlab: ['gitlab-ci.yml', '.gitlab-ci.yml'],
  jenkins: ['Jenkinsfile', 'Jenkinsfile'],
}
const pipelineNames = Object.keys(pipelines)

/** The commands that write the first files of a user. */
export const fileCommands: Declare = (program, acts) => {
  // `init`: writes a user's first files, and never overwrites one. On a terminal, asks for settings that have no flag or variable.
  withFlags(program.command('init'), {
    TARGET_BASE_URL: 'address of the service',
    TARGET_LABEL: 'stable name of the target (vendor, environment)',
    RUN_PROFILE: 'gate, acceptance or nightly',
  })
    .description('write .env, a pipeline and a letter to the provider; never overwrites a file')
    .addOption(new Option('--ci <pipeline>', 'pipeline to write a file for').choices(pipelineNames))
    .action(acts(init))

  // `endpoints import`: creates an endpoints file from an OpenAPI document, for review. Never overwrites a file.
  program
    .command('endpoints')
    .description('make an endpoints file')
    .command('import')
    .description('make an endpoints file from an OpenAPI document (3.0 or 3.1), for review')
    .argument('<file>', 'the document; references are followed only to files in its folder')
    .option('--include <glob>', 'operations to import: "/api/cards/*", "GET *"; * matches any characters')
    .option('--tag <name>', 'import only operations with this tag')
    .option('--out <file>', 'file to write; an existing file is never overwritten', 'endpoints.json')
    .action(acts(importDocument))
}

/** The questions: for settings, each of which appears in `.env` even if it is empty, and for the pipeline. */
const questions = {
  TARGET_BASE_URL: 'Address of the service:',
  TARGET_LABEL: 'Stable name of the target (vendor, environment):',
  TARGET_API_KEY: 'API key of a permitted client (not shown):',
  TARGET_SECRET_KEY: 'Its secret key (not shown):',
  RUN_PROFILE: 'Profile (gate, acceptance or nightly) [gate]:',
  ci: `Pipeline to write a file for (${pipelineNames.join(', ')}) [none]:`,
} as const
const asks = memberNames(questions)

/** Answers from flags, the environment or the terminal. Credentials never come from flags. */
type Answers = Readonly<Partial<Record<keyof typeof questions, string>>>

async function init({ cwd, env, canAsk, out }: Call, flags: Answers) {
  const texts = asks.map((name) => [name, flags[name] ?? env[name]?.trim()] as const)
  const given: Answers = Object.fromEntries(texts.filter(([, text]) => isSet(text)))
  refuse(await mistakesIn(given), 'nothing was written')
  const open = asks.filter((name) => given[name] === undefined && flags[name] === undefined)
  const answers = canAsk && open.length > 0 ? await asked(given, open) : given
  out(lines(...(await writeFiles(answers, cwd))))
  const pipeline = 'The pipeline does not read .env. Its file lists what it needs.\n\n'
  out(`
${answers.ci === undefined ? '' : pipeline}Fill in the empty settings in .env. ${packageFile('docs/settings.md', cwd)} explains each setting,
and ${packageFile('.env.example', cwd)} lists them all. Then check the settings and the connection:

  ${nextCommand(['doctor'], cwd)}
`)
}

/** Mistakes in answers; they never show a secret. */
async function mistakesIn({ ci, ...texts }: Answers) {
  const { TARGET_BASE_URL: address = 'embedded' } = texts
  const search = credentialSearch(credentialsOfSource(texts))
  const { parse } = await import('dotenv')
  const unwritable = Object.entries(texts).filter(
    ([, text]) => parse(`NAME=${dotenvValue(text)}`)['NAME'] !== text,
  )
  const issues = [
    ...(address === 'embedded' ? [] : parseBaseUrl(address).issues),
    ...checkTexts(texts).issues,
    ...exposedCredentials(texts, search),
    ...unwritable.map(([name, given]) => issue(name, { given, expected: writable })),
  ]
  if (ci !== undefined && !pipelineNames.includes(ci)) {
    const expected = `one of ${pipelineNames.join(', ')}, or nothing`
    issues.push(issue('ci', { expected, hint: hintFrom(pipelineNames, ci) }))
  }
  return hideSecrets(issues, search, texts)
}

const writable = 'a value that fits into an env file: not a # together with all three kinds of quotes'

/** Asks on the terminal for missing answers. Throws if the user quits with Ctrl-C or Ctrl-D, or if the input ends. */
async function asked(given: Answers, open: typeof asks) {
  const { stdin, stdout } = process
  stdout.write('Press Enter to leave a setting empty for now. Ctrl-C leaves without writing anything.\n\n')
  let isHidden = false
  const output = new Writable({
    write: (text, _, done) => {
      if (!isHidden) stdout.write(text)
      done()
    },
  })
  const reader = createInterface({ input: stdin, output, terminal: true })
  const closed = once(reader, 'close')
  stdin.on('keypress', (_, key?: Readonly<{ ctrl: boolean; name?: string }>) => {
    if (key?.ctrl === true && key.name === 'd') reader.close()
  })

  const answers = { ...given }
  const ask = async (name: keyof Answers) => {
    const isSecret = settingNamed(name)?.secret === true
    reader.setPrompt(`${questions[name]} `)
    reader.prompt()
    isHidden = isSecret
    const [answer]: readonly unknown[] = await Promise.race([once(reader, 'line'), closed])
    if (typeof answer !== 'string') {
      stdout.write('\n')
      throw new UnusableInput('nothing was written: the questions were not answered')
    }
    // Text pasted after a secret must not appear as the next answer.
    if (isSecret) reader.write(null, { ctrl: true, name: 'u' })
    isHidden = false
    const value = answer.trim()
    const issues = value === '' ? [] : await mistakesIn({ [name]: value })
    const taken = value === '' ? '(left empty)' : '(taken)'
    if (isSecret) stdout.write(issues.length > 0 ? '\n' : `${taken}\n`)
    for (const { expected, hint } of issues)
      stdout.write(`  expected  ${expected}\n${hint === null ? '' : `  hint      ${hint}\n`}`)
    if (issues.length > 0) return ask(name)
    if (value !== '') answers[name] = value
  }
  try {
    for (const name of open) await ask(name)
    return answers
  } finally {
    reader.close()
  }
}

/** Writes each missing file and returns a line for each. */
async function writeFiles(answers: Answers, cwd: string) {
  const letter = 'a letter to the provider that asks for clients with known behaviour'
  const files: (readonly [name: string, text: string, about: string])[] = [
    ['.gitignore', '.env\nreports/\n', '.env and reports/'],
    ['.env', envText(answers, cwd), 'your settings; only you may read it'],
    ['provider-request.md', providerRequest(answers), letter],
  ]
  const [source, to = ''] = pipelines[answers.ci ?? ''] ?? []
  if (source !== undefined) {
    const text = await readFile(join(packageFolder(), 'docs/ci', source), 'utf8')
    files.push([to, text, `the pipeline; ${packageFile('docs/pipelines.md', cwd)} lists what it needs`])
  }
  // A link could redirect a secret, or our text, to any of the user's files.
  for (let file of files.map(([name]) => join(cwd, name)))
    for (; file !== cwd; file = dirname(file))
      if (await isLink(file))
        throw new UnusableInput(
          `nothing was written: ${file} is a symbolic link, and init never follows links; remove it, or use another folder`,
        )
  const told: string[] = []
  for (const [name, text, about] of files) {
    const file = join(cwd, name)
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o666 })
      told.push(`wrote  ${name}: ${about}`)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST')
        throw new UnusableInput(
          `${file} cannot be written: ${errorText(error)}; run init in a writable folder. Files written so far remain.`,
        )
      const lacks = name === '.gitignore' ? '; make sure that it lists .env and reports/' : ''
      told.push(`left   ${name}: it already exists${lacks}`)
    }
  }
  return told
}

/** The text of an env file with these settings; unanswered questions have an empty value. */
function envText(given: Texts, cwd: string) {
  const empty = settingTable
    .filter(({ name }) => name in questions)
    .map(({ name }) => `${name}=${dotenvValue(given[name] ?? '')}\n`)
  const example = packageFile('.env.example', cwd)
  return `# Settings of card-switch-conformance. ${example} lists all others.\n${empty.join('')}`
}

/** A letter that asks the provider for the clients, inputs and quota that a run needs. */
function providerRequest({ TARGET_BASE_URL: address, TARGET_LABEL: label }: Texts) {
  const where = address === undefined || address === 'embedded' ? 'your test system' : address
  const most = Object.entries(profiles).map(([name, of]) => `${grouped(of.maxRequests)} in a ${name} run`)
  return `# Clients for a conformance test${label === undefined ? '' : ` of ${label}`}

We want to test ${where} against the documented conventions of the card-switching and customization service. Please give us
${clientNames.length} clients, each with an API key and a secret key:

| client | required answer to GET ${listPath} | our settings |
| --- | --- | --- |
${clientNames.map(askedFor).join('\n')}

Please also tell us:

1. The daily quota of the disposable client; 20 is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query for the endpoint that must get 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. The query that every request to the endpoint needs, if any. (TARGET_QUERY)
4. The maximum number of requests per day and per second for each client.

A run sends at most 25 requests per second, most of them as the permitted client, and in all at most
${most.join(', ')}.
A gate runs after each deploy, an acceptance run after each fix, a nightly run every night. Please grant quotas for these.

An acceptance run needs all clients. Please send the keys through a safe channel, not in a reply to this letter.
`
}

/** The answer to ask a provider for, or why the client is to be refused. */
const answers: Readonly<Record<ClientName, string>> = {
  target: 'a success',
  second: 'a success',
  noCustomer: 'no customer matches its credentials',
  inactive: 'the endpoint is inactive for it (or name an endpoint that is inactive for all)',
  unauthorized: 'it may not use the endpoint',
  exhausted: 'its daily quota is used up, every day',
  disposable: 'a success, until we have used up its daily quota; then 429 with error_code 1020',
}

/** A client's row: its name in a plan, the required answer, and our settings for it. */
function askedFor(client: ClientName) {
  const { called } = clientRows[client]
  const code = flawOfClient[client]?.code ?? null
  const refused = code === null ? '' : `${refusalOf(code).status} with error_code ${code}: `
  const ours = client === 'target' ? 'TARGET_API_KEY, TARGET_SECRET_KEY' : settingsOfClient(client)
  return `| ${called} | ${refused}${answers[client]} | ${ours} |`
}

async function importDocument(
  { cwd, out: print }: Call,
  given: string,
  { out, ...choice }: OperationChoice & { readonly out: string },
) {
  const file = resolve(cwd, given)
  const read = await readTextFile(file, sizeLimits.document)
  if (read.text === null)
    throw new UnusableInput(
      `${given}: expected an OpenAPI document in YAML or JSON (UTF-8), given ${read.why}`,
    )
  const { entries, leftOut, text } = await readDocument(file, read.text)
    .then((document) => importOpenApi(document, choice))
    .catch((error: unknown) => {
      if (error instanceof MachineTooBusy) throw error.to(`read ${printable(given)}`)
      if (!(error instanceof DocumentMistake)) throw error
      throw new UnusableInput(printable(`${given}, ${error.message}`))
    })
  await writeNewFile(out, text, cwd)
  const unsent = entries.filter(({ fuzz }) => fuzz === false).length
  const reasons = groupBy(leftOut, ({ why }) => why)
  print(
    lines(
      `${out} was written: ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}.`,
      unsent > 0 &&
        `${unsent} of them may change data at the target: no request is sent for these until they have "fuzz": true.`,
      'Review it, then set TARGET_ENDPOINTS to it.',
      leftOut.length > 0 && '',
      ...Array.from(reasons, ([why, some]) => {
        const places = some.map(({ place }) => place)
        return `left out  ${why}: ${firstOf(places, shownPlaces, andMore).join(', ')}`
      }),
    ),
  )
}

/** Maximum number of places shown for each reason why something was left out. */
const shownPlaces = 3

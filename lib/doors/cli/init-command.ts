import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Option } from 'commander'
import { isLink } from '../../report/folder/reports-folder.ts'
import { settingsOfClient } from '../../run/plan/test-request.ts'
import { parseBaseUrl } from '../../settings/base-url.ts'
import { credentialSearch, exposedCredentials, hideSecrets } from '../../settings/hide-secrets.ts'
import { didYouMean, issue, type SettingIssue } from '../../settings/issue.ts'
import { packageFolder } from '../../settings/package-version.ts'
import { profiles } from '../../settings/profiles.ts'
import { settingNamed, settingTable, type Texts } from '../../settings/setting-table.ts'
import { checkTexts, credentialsOfSource } from '../../settings/sources.ts'
import { refusalOf } from '../../specification/answers.ts'
import { clientNames, clientRows, type ClientName } from '../../specification/client-rows.ts'
import { listPath } from '../../specification/endpoints.ts'
import { flawOfClient } from '../../specification/flaws.ts'
import { grouped } from '../../text/counts.ts'
import { memberNames } from '../../text/members.ts'
import { meant } from '../../text/nearest.ts'
import { codeOf, errorText } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import {
  dotenvValue,
  lines,
  nextCommand,
  packageFile,
  refuse,
  withFlags,
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

/** `init`: writes a user's first files, and never overwrites one. On a terminal, asks for settings that have no flag or variable. */
export const initCommand: Declare = (program, acts) =>
  withFlags(program.command('init'), {
    TARGET_BASE_URL: 'address of the service',
    TARGET_LABEL: 'stable name of the target (vendor, environment)',
    RUN_PROFILE: 'gate, acceptance or nightly',
  })
    .description('write .env, a pipeline and a letter to the provider; never overwrites a file')
    .addOption(new Option('--ci <pipeline>', 'pipeline to write a file for').choices(pipelineNames))
    .action(acts(init))

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
  const texts = asks.map((name) => [name, flags[name] ?? env[name]?.trim() ?? ''] as const)
  const given: Answers = Object.fromEntries(texts.filter(([, text]) => text.trim() !== ''))
  refuse(mistakesIn(given), 'nothing was written')
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
function mistakesIn({ ci, ...texts }: Answers): readonly SettingIssue[] {
  const { TARGET_BASE_URL: address = 'embedded' } = texts
  const search = credentialSearch(credentialsOfSource(texts))
  const issues = [
    ...(address === 'embedded' ? [] : parseBaseUrl(address).issues),
    ...checkTexts(texts).issues,
    ...exposedCredentials(texts, search),
  ]
  if (ci !== undefined && !pipelineNames.includes(ci)) {
    const expected = `one of ${pipelineNames.join(', ')}, or nothing`
    issues.push(issue('ci', { expected, hint: didYouMean(meant(ci, pipelineNames)) }))
  }
  return hideSecrets(issues, search, texts)
}

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
  stdin.on('keypress', (_, key?: { readonly ctrl: boolean; readonly name?: string }) => {
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
    const issues = value === '' ? [] : mistakesIn({ [name]: value })
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
  const most = Object.entries(profiles).map(
    ([name, { maxRequests }]) => `${grouped(maxRequests)} in a ${name} run`,
  )
  return `# Clients for a conformance test${label === undefined ? '' : ` of ${label}`}

We want to test ${where} against the documented conventions of the card-switching and customization service. Please give us
${clientNames.length} clients of a test system, each with an API key and a secret key, and one input.

| client | required answer to GET ${listPath} | our settings |
| --- | --- | --- |
${clientNames.map(askedFor).join('\n')}

Please also tell us:

1. The daily quota of the disposable client; 20 is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query for the same endpoint that must get 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. The query that every request to the endpoint needs, if any. (TARGET_QUERY)
4. The maximum number of requests per day and per second for each client.

A run sends at most 25 requests per second, most of them as the permitted client, and in all at most
${most.join(', ')}.
A gate runs after each deploy, an acceptance run after each fix, a nightly run every night. Please grant daily quotas
for these, or tell us which are too small.

An acceptance run needs all clients. Without one, some rules cannot be judged.

Please send the keys through a safe channel, not in a reply to this letter.
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

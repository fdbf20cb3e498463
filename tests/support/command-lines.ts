import { filesIn, textOf } from './syntax.ts'

/** The documents. */
export const pages = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'reports/README.md',
  ...filesIn('lab', '.md').filter((page) => !page.includes('node_modules')),
  ...filesIn('docs', '.md'),
]

/** The fenced blocks of a page: the language and the text of each, without the indentation of a list. */
export function blocksIn(page: string) {
  const blocks = textOf(page).matchAll(/^( *)```(\w+)\n([^]*?)^ *```$/gm)
  return Array.from(blocks, ([, indent = '', language = '', text = '']) => {
    return { language, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }
  })
}

/** A page without its fenced blocks. */
export const proseOf = (page: string): string => textOf(page).replaceAll(/^( *)```\w*\n[^]*?^ *```$/gm, '')

/** The words of one command line of a shell, without its comment. */
export function wordsOf(line: string): readonly string[] {
  const words = line.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []
  const end = words.findIndex((word) => word.startsWith('#') || word === '>' || word === '|')
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replaceAll(/^['"]|['"]$/g, ''))
}

/** Languages of blocks whose commands `lab/transcripts` does not play. */
export const withoutConsole: readonly string[] = ['sh', 'yaml']

/** The command lines of a page, from blocks in these languages and from text in backquotes. */
export function commandLinesIn(page: string, languages: readonly string[] = [...withoutConsole, 'console']) {
  const blocks = blocksIn(page).filter(({ language }) => languages.includes(language))
  const lines = blocks.flatMap(({ text }) => text.split(/\n|&&/))
  const quoted = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...lines, ...quoted]
    .map((line) => line.trim().replace(/^(?:- (?:run: )?|\$ )/, ''))
    .filter((line) => /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node) /.test(line))
}

import { parseSync, Visitor } from 'rolldown/utils'
import { expect, it } from 'vitest'
import { filesIn, textOf } from '../../../tests/support/syntax.ts'
import { ownTexts, textsIn } from './own-text.ts'

/** The texts in quotes that a parser finds, as they are written but for escaped quotes. */
function parsedTextsIn(source: string): readonly string[] {
  const found: string[] = []
  const visitor = new Visitor({
    TemplateElement: ({ value }) => void found.push(value.raw),
    Literal: ({ value, raw }) => {
      if (typeof value === 'string') found.push(String(raw).slice(1, -1))
    },
  })
  visitor.visit(parseSync('source.ts', source).program)
  return found
    .map((text) => text.replaceAll(/\\(['"`\\$])/g, '$1'))
    .filter((text) => text.length >= 4 && !/^(?:\.{1,2}\/|node:)/.test(text))
}

it('finds in every source what a parser finds', () => {
  const files = ['lib', 'suites'].flatMap((folder) => filesIn(folder, '.ts'))

  expect(files.length).toBeGreaterThan(300)
  for (const file of files) {
    const source = textOf(file)
    expect(textsIn(source).toSorted(), file).toEqual(parsedTextsIn(source).toSorted())
  }
})

it('finds texts in the holes of templates, and none in comments and regular expressions', () => {
  const source =
    "// it's 'none'\nconst a = /['\"]none/ ? `both ${b ? `${'inner'} part` : {}} ends` : 'it\\'s here'"

  expect(textsIn(source)).toEqual(['both ', 'inner', ' part', ' ends', "it's here"])
})

it('knows the sentences of the catalogue, of the judge and of the generator', () => {
  const all = ownTexts()

  expect(all).toContain('a request without x-api-key is refused with 400 and 1001')
  expect(all).toContain(' is documented')
  expect(all.length).toBeGreaterThan(1_500)
})

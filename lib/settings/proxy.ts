import type { Part } from './mistake.ts'
import { shownUrl } from './base-url.ts'

/** Checks the address of a proxy; user name and password are allowed in it and never shown. */
export function readProxy(text: string | undefined): Part<string | null> {
  if (text === undefined) return { value: null, mistakes: [] }

  const schemed = /^https?:\/\/[^/]/i.test(text)
  if (schemed && URL.canParse(text)) return { value: text, mistakes: [] }

  const mistake = {
    setting: 'HTTPS_PROXY',
    given: shownUrl(text),
    expected: 'the address of a proxy, beginning with http:// or https://',
    hint: schemed ? null : 'as in http://proxy.example:3128',
  }
  return { value: null, mistakes: [mistake] }
}

/** The user name and password in the address of a proxy, as written and decoded. */
export function secretsIn(address: string): readonly string[] {
  const { userInfo, user, password } = partsOf(address)
  return written([userInfo, ...(user === null ? [] : [user]), password])
}

/** The password alone, as written and decoded: the user name is often a word, such as `jenkins`. */
export function passwordsIn(address: string): readonly string[] {
  return written([partsOf(address).password])
}

/** Without a colon all of it may be a token. */
function partsOf(address: string) {
  const userInfo = /^(?:[a-z][a-z\d+.-]*:)?\/*(.*)@/is.exec(address.trim())?.[1] ?? ''
  const colon = userInfo.indexOf(':')
  return colon < 0
    ? { userInfo, user: null, password: userInfo }
    : { userInfo, user: userInfo.slice(0, colon), password: userInfo.slice(colon + 1) }
}

function written(parts: readonly string[]): readonly string[] {
  return parts.flatMap((part) => [part, decodedOr(part)]).filter((part) => part !== '')
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

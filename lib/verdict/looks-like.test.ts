import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import { answer } from '../judge/testing/exchanges.ts'
import { looksLike } from './looks-like.ts'

const url = 'http://staging.example:8080/cards/api/customizations/list'
const https = url.replace('http:', 'https:')
const html: Response['fields'] = [['Content-Type', 'text/html; charset=utf-8']]
const seen = (response: Response, redact = (text: string): string => text): string | null =>
  looksLike(response, { url, redact })
const redirect = (location: string, status = 302, text = ''): Response =>
  answer(status, text, { fields: [['Location', location]] })
const challenge = (value: string, status = 401): Response =>
  answer(status, '', { fields: [['WWW-Authenticate', value]] })

describe('an answer that is not from the service', () => {
  it.each([
    ['https://sso.example/authorize?token=abc#x', 'to https://sso.example/authorize'],
    ['https://me:pw@sso.example/a', 'to https://sso.example/a'],
    ['/login?next=%2Fapi', 'to http://staging.example:8080/login'],
    ['../login', 'to http://staging.example:8080/cards/api/login'],
    [https, `to ${https} (should TARGET_BASE_URL begin with https://?)`],
    ['javascript:alert(1)', 'to another scheme (javascript:)'],
    ['https-x://a', 'to another scheme (https-x:)'],
    ['xhttp://a', 'to another scheme (xhttp:)'],
    ['http://', 'to an invalid address'],
    [`/${'x'.repeat(500)}`, `to http://staging.example:8080/${'x'.repeat(200 - 28)}…`],
  ])('is described by its redirect: %s', (location, says) => {
    expect(seen(redirect(location))).toBe(`is redirected ${says}`)
  })

  it('gets no hint if it redirects from an encrypted address', () => {
    const asked = { url: 'https://staging.example/a', redact: (text: string): string => text }

    expect(looksLike(redirect('https://staging.example/b'), asked)).toBe(
      'is redirected to https://staging.example/b',
    )
  })

  it.each([
    ['<!doctype html><title>Sign in</title><p>x', 'looks like a login page: Sign in'],
    ['<html><title>Log-on\n  to A &amp; B</title>', 'is an HTML page: Log-on to A & B'],
    ['<html><title> Log on </title>', 'looks like a login page: Log on'],
    ['<html><title>Welcome</title><form><input name=p type="password">', 'looks like a login page: Welcome'],
    ["<HTML><form><INPUT TYPE='password'>", 'looks like a login page without a title'],
    ['<!DOCTYPE html>\n<title lang="en">404 Not Found</title>', 'is an HTML page: 404 Not Found'],
    ['<!doctype html><h1>x</h1>', 'is an HTML page without a title'],
    [`<html><title>${'x'.repeat(200)}</title>`, `is an HTML page: ${'x'.repeat(80)}…`],
    ['  <?XML version="1.0"?><Error/>', 'is an XML document'],
    ['  <html><title>A &lt;b&gt; &quot;c&quot; &#39;d&#39;</title>', `is an HTML page: A <b> "c" 'd'`],
    ['<html><title>Logon</title>', 'looks like a login page: Logon'],
    ['<html><title>Signin</title>', 'looks like a login page: Signin'],
    ['<html><title>Sign-on</title>', 'looks like a login page: Sign-on'],
    ['<html><title>Company SSO</title>', 'looks like a login page: Company SSO'],
    ['<html><title>x</title><input type = "password">', 'looks like a login page: x'],
    ['<html><title>x</title><input type= password>', 'looks like a login page: x'],
    [`<html><title>${'x'.repeat(80)}</title>`, `is an HTML page: ${'x'.repeat(80)}`],
    [`<html>${' '.repeat(65_536)}<title>far</title>`, 'is an HTML page without a title'],
    ['', 'is an answer without a body'],
    ['see <?xml version="1.0"?>', null],
    ['see <html><title>x</title>', null],
    ['x<?xml version="1.0"?>', null],
    ['hello', null],
  ])('is described by its page: %s', (text, says) => {
    expect(seen(answer(200, text, { fields: [] }))).toBe(says)
  })

  it.each<[string, Response, string | null]>([
    ['the last status without a redirect', redirect('https://a.example/', 299, 'x'), null],
    ['the first redirect', redirect('https://a.example/', 300, 'x'), 'is redirected to https://a.example/'],
    ['the last redirect', redirect('https://a.example/', 399, 'x'), 'is redirected to https://a.example/'],
    ['the first refusal', redirect('https://a.example/', 400, 'x'), null],
    ['a redirect to nowhere', answer(302, '', { fields: [] }), null],
    ['Basic', challenge('Basic realm="staging"'), 'asks for HTTP Basic (www-authenticate)'],
    ['Bearer', challenge('Bearer'), 'asks for HTTP Bearer (www-authenticate)'],
    ['a scheme with digits', challenge('OAuth2-x realm="a"'), 'asks for HTTP OAuth2-x (www-authenticate)'],
    ['no scheme', challenge('\u001b[2J'), 'asks for HTTP authentication (www-authenticate)'],
    ['a challenge with another status', challenge('Basic', 403), null],
    ['a refusal without a challenge', answer(401, '', { fields: [] }), null],
    ['the last empty success', answer(299, '', { fields: [] }), 'is an answer without a body'],
    ['an empty informational answer', answer(199, '', { fields: [] }), null],
    ['a page by its label', answer(503, 'x <title>Down</title>', { fields: html }), 'is an HTML page: Down'],
    ['JSON labelled as a page', answer(200, { a: 1 }, { fields: html }), null],
    ['other JSON', answer(403, { message: 'no' }), null],
  ])('is described by its status and fields: %s', (_, response, says) => {
    expect(seen(response)).toBe(says)
  })

  it('shows no credential, even if a title or address is cut inside it', () => {
    const redact = (text: string): string => text.replaceAll('5ecr3t-5ecr3t-5ecr3t', '<K>')
    const title = `${'x'.repeat(70)}5ecr3t-5ecr3t-5ecr3t`
    const place = `/${'x'.repeat(165)}5ecr3t-5ecr3t-5ecr3t`

    expect(seen(answer(200, `<html><title>${title}</title>`, { fields: [] }), redact)).not.toContain('5ecr3t')
    expect(seen(redirect(place), redact)).not.toContain('5ecr3t')
  })

  it('is quickly described in a bounded phrase, whatever it contains', () => {
    const tags = ['<html>', '<title', '>', '<input ', ' type=', 'password', '</title>']
    const parts = fc.constantFrom(...tags, 'x'.repeat(50), ' ')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), fc.nat({ max: 2_000 }), (texts, times) => {
        const phrase = seen(answer(200, texts.join('').repeat(times), { fields: html }))

        expect((phrase ?? '').length).toBeLessThan(300)
      }),
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import { looksLike } from './looks-like.ts'
import { answer } from '../judge/testing/exchanges.ts'

const url = 'http://staging.example:8080/cards/api/customizations/list'
const html: Response['fields'] = [['Content-Type', 'text/html; charset=utf-8']]
const seen = (response: Response, redact = (text: string): string => text): string | null =>
  looksLike(response, { url, redact })

describe('an answer that is none of the service', () => {
  it.each([
    ['https://sso.example/authorize?token=abc#x', 'is redirected to https://sso.example/authorize'],
    ['https://me:pw@sso.example/a', 'is redirected to https://sso.example/a'],
    ['/login?next=%2Fapi', 'is redirected to http://staging.example:8080/login'],
    ['../login', 'is redirected to http://staging.example:8080/cards/api/login'],
    ['//other.example', 'is redirected to http://other.example/'],
    [
      'https://staging.example:8080/cards/api/customizations/list',
      'is redirected to https://staging.example:8080/cards/api/customizations/list (should TARGET_BASE_URL begin with https://?)',
    ],
    ['javascript:alert(1)', 'is redirected to another scheme (javascript:)'],
    ['http://', 'is redirected to what is no address'],
    [`/${'x'.repeat(500)}`, `is redirected to http://staging.example:8080/${'x'.repeat(200 - 28)}…`],
  ])('is redirected: %s', (location, says) => {
    expect(seen(answer(302, '', { fields: [['Location', location]] }))).toBe(says)
  })

  it.each([
    ['Basic realm="staging"', 'asks for HTTP Basic (www-authenticate)'],
    ['Bearer', 'asks for HTTP Bearer (www-authenticate)'],
    ['\u001b[2J', 'asks for HTTP authentication (www-authenticate)'],
  ])('asks for a login: %s', (challenge, says) => {
    expect(seen(answer(401, '', { fields: [['WWW-Authenticate', challenge]] }))).toBe(says)
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
    ['<?xml version="1.0"?><Error/>', 'is an XML document'],
    ['  <?XML version="1.0"?><Error/>', 'is an XML document'],
    ['  <html><title>A &lt;b&gt; &quot;c&quot; &#39;d&#39;</title>', `is an HTML page: A <b> "c" 'd'`],
    ['<html><title>Login</title>', 'looks like a login page: Login'],
    ['<html><title>Logon</title>', 'looks like a login page: Logon'],
    ['<html><title>Signin</title>', 'looks like a login page: Signin'],
    ['<html><title>Sign-on</title>', 'looks like a login page: Sign-on'],
    ['<html><title>Company SSO</title>', 'looks like a login page: Company SSO'],
    ['<html><title>x</title><input type = "password">', 'looks like a login page: x'],
    ['<html><title>x</title><input type= password>', 'looks like a login page: x'],
    [`<html><title>${'x'.repeat(80)}</title>`, `is an HTML page: ${'x'.repeat(80)}`],
    [`<html>${' '.repeat(65_536)}<title>far</title>`, 'is an HTML page without a title'],
    ['', 'is an answer without a body'],
  ])('is a page: %s', (text, says) => {
    expect(seen(answer(200, text, { fields: [] }))).toBe(says)
  })

  it.each([
    [299, null],
    [300, 'is redirected to https://a.example/'],
    [399, 'is redirected to https://a.example/'],
    [400, null],
  ])('is redirected by %i: %s', (status, says) => {
    expect(seen(answer(status, 'x', { fields: [['Location', 'https://a.example/']] }))).toBe(says)
  })

  it.each([
    ['https-x://a', 'is redirected to another scheme (https-x:)'],
    ['xhttp://a', 'is redirected to another scheme (xhttp:)'],
  ])('is redirected to another scheme: %s', (location, says) => {
    expect(seen(answer(302, '', { fields: [['Location', location]] }))).toBe(says)
  })

  it('is redirected from an encrypted address, without a hint', () => {
    const asked = 'https://staging.example/a'
    const response = answer(302, '', { fields: [['Location', 'https://staging.example/b']] })

    expect(looksLike(response, { url: asked, redact: (text) => text })).toBe(
      'is redirected to https://staging.example/b',
    )
  })

  it('asks for a login by a scheme with digits', () => {
    expect(seen(answer(401, '', { fields: [['WWW-Authenticate', 'OAuth2-x realm="a"']] }))).toBe(
      'asks for HTTP OAuth2-x (www-authenticate)',
    )
  })

  it.each([
    ['a text with a document in it', 'see <?xml version="1.0"?>'],
    ['a text with a page in it', 'see <html><title>x</title>'],
    ['a text that begins like a document', 'x<?xml version="1.0"?>'],
  ])('is nothing known: %s', (_, text) => {
    expect(seen(answer(200, text, { fields: [] }))).toBeNull()
  })

  it('is without a body under a success only', () => {
    expect(seen(answer(299, '', { fields: [] }))).toBe('is an answer without a body')
    expect(seen(answer(199, '', { fields: [] }))).toBeNull()
  })

  it('is a page where its label says so', () => {
    expect(seen(answer(503, 'Sorry <title>Down</title>', { fields: html }))).toBe('is an HTML page: Down')
  })

  it.each([
    ['other JSON', answer(403, { message: 'no' })],
    ['JSON that is labelled as a page', answer(200, { a: 1 }, { fields: html })],
    ['a text', answer(200, 'hello', { fields: [] })],
    ['a redirect to nowhere', answer(302, '', { fields: [] })],
    ['a refusal without a challenge', answer(401, '', { fields: [] })],
    ['a challenge of another status', answer(403, '', { fields: [['WWW-Authenticate', 'Basic']] })],
  ])('may look like nothing known: %s', (_, response) => {
    expect(seen(response)).toBeNull()
  })

  it('shows no credential, also where a title or a place is cut in the middle of it', () => {
    const redact = (text: string): string => text.replaceAll('5ecr3t-5ecr3t-5ecr3t', '<K>')
    const title = `${'x'.repeat(70)}5ecr3t-5ecr3t-5ecr3t`
    const location = `/${'x'.repeat(165)}5ecr3t-5ecr3t-5ecr3t`

    expect(seen(answer(200, `<html><title>${title}</title>`, { fields: [] }), redact)).not.toContain('5ecr3t')
    expect(seen(answer(302, '', { fields: [['Location', location]] }), redact)).not.toContain('5ecr3t')
  })

  it('is described in a bounded phrase, quickly, whatever it holds', () => {
    const parts = fc.constantFrom(
      '<html>',
      '<title',
      '>',
      '<input ',
      ' type=',
      'password',
      '</title>',
      'x'.repeat(50),
      ' ',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), fc.nat({ max: 2_000 }), (texts, times) => {
        const phrase = seen(answer(200, texts.join('').repeat(times), { fields: html }))

        expect((phrase ?? '').length).toBeLessThan(300)
      }),
    )
  })
})

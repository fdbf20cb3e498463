import { testRules } from '../rules.ts'

testRules('input')

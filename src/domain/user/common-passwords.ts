/**
 * The 300 most common passwords of six characters and more, the most common first, in small letters. Source: the list of
 * passwords by frequency of the npm package zxcvbn 4.4.2 (MIT, © 2012–2016 Dan Wheeler and Dropbox), without obscene ones.
 */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  [
    '123456 password 12345678 qwerty 123456789 111111 1234567 dragon 123123 baseball abc123 football monkey letmein',
    'shadow master mustang 666666 qwertyuiop 123321 1234567890 superman 654321 1qaz2wsx 7777777 qazwsx jordan 123qwe',
    '000000 trustno1 hunter harley zxcvbnm asdfgh buster batman soccer tigger charlie sunshine iloveyou ranger',
    'hockey computer starwars pepper 112233 zxcvbn freedom princess maggie ginger 11111111 131313 cheese 159753',
    'summer chelsea dallas matrix yankees corvette austin access thunder merlin secret diamond hammer 1234qwer',
    'silver internet samantha golfer scooter orange cookie q1w2e3r4t5 maverick sparky phoenix mickey bigdog snoopy',
    'guitar whatever chicken camaro mercedes peanut ferrari falcon cowboy welcome samsung steelers smokey dakota',
    'arsenal boomer eagles tigers marina nascar gateway yellow porsche monster spider diablo hannah bulldog junior',
    'london purple compaq lakers iceman qwer1234 cowboys banana ncc1701 boston tennis q1w2e3r4 coffee scooby 123654',
    'nikita yamaha mother barney brandy chester oliver player forever rangers midnight chicago bigdaddy redsox',
    'badboy fender jasper slayer rabbit natasha marine wizard marlboro raiders prince casper fishing flower jasmine',
    'adidas winter winner gandalf password1 ghbdtn 1q2w3e4r golden cocacola jordan23 winston madison angels panther',
    'sophie asdfasdf thx1138 toyota canada 12344321 8675309 muffin liverpoo apples qwerty123 passw0rd abcd1234',
    'pokemon 123abc slipknot qazxsw 123456a scorpion qwaszx butter startrek rainbow asdfghjkl newyork redskins',
    'gemini cameron qazwsxedc florida liverpool turtle sierra viking doctor rocket 159357 dolphins captain bandit',
    'jaguar packers pookie peaches 789456 dolphin helpme theman maxwell qwertyui lovers maddog giants nirvana',
    'metallic hotdog rosebud mountain warrior stupid elephant success bond007 alexis scorpio samson q1w2e3 azerty',
    'rush2112 driver freddy 1q2w3e4r5t sydney gators dexter red123 123456q 12345a creative voodoo trouble america',
    'nissan gunner garfield asdfghjk apollo 1qazxsw2 eminem legend airborne beavis brooklyn godzilla skippy',
    '4815162342 kitten shelby beaver phantom asdasd xavier braves darkness blink182 copper platinum qweqwe tomcat',
    '01012011 bigboy 102030 animal police online 11223344 voyager lifehack 12qwaszx sniper 315475 trinity blazer',
    'heaven snowball loveme bubbles cricket willow',
  ]
    .join(' ')
    .split(' '),
);

/** Digits and signs that people add to a common password: at most four count as an addition. */
const ADDED = /[\d!@#$%^&*?._-]{1,4}$/;

/**
 * True for one of the most common passwords, in any letters, also with up to four digits or signs after it ("Sunshine1!").
 *
 * @param password normalized (NFKC)
 */
export function isCommonPassword(password: string): boolean {
  const small = password.toLowerCase();
  return COMMON_PASSWORDS.has(small) || COMMON_PASSWORDS.has(small.replace(ADDED, ''));
}

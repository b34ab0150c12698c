/** Capitals; see `gazetteer-places.ts` for where the facts come from. A line: country by ISO 3166-1, name, latitude, longitude in degrees. */
export const CAPITALS = `
AF,Kabul,34.53,69.17
AL,Tirana,41.33,19.82
DZ,Algiers,36.75,3.06
AD,Andorra la Vella,42.51,1.52
AO,Luanda,-8.84,13.23
AG,Saint John's,17.12,-61.85
AR,Buenos Aires,-34.60,-58.38
AM,Yerevan,40.18,44.51
AU,Canberra,-35.28,149.13
AT,Vienna,48.21,16.37
AZ,Baku,40.41,49.87
BS,Nassau,25.05,-77.34
BH,Manama,26.23,50.59
BD,Dhaka,23.81,90.41
BB,Bridgetown,13.10,-59.61
BY,Minsk,53.90,27.57
BE,Brussels,50.85,4.35
BZ,Belmopan,17.25,-88.77
BJ,Porto-Novo,6.50,2.63
BT,Thimphu,27.47,89.64
BO,Sucre,-19.03,-65.26
BA,Sarajevo,43.86,18.41
BW,Gaborone,-24.63,25.92
BR,Brasilia,-15.79,-47.88
BN,Bandar Seri Begawan,4.90,114.94
BG,Sofia,42.70,23.32
BF,Ouagadougou,12.37,-1.52
BI,Gitega,-3.43,29.93
KH,Phnom Penh,11.56,104.92
CM,Yaounde,3.85,11.50
CA,Ottawa,45.42,-75.70
CV,Praia,14.93,-23.51
CF,Bangui,4.39,18.56
TD,N'Djamena,12.13,15.06
CL,Santiago,-33.45,-70.67
CN,Beijing,39.90,116.41
CO,Bogota,4.71,-74.07
KM,Moroni,-11.70,43.26
CG,Brazzaville,-4.26,15.24
CD,Kinshasa,-4.44,15.27
CR,San Jose,9.93,-84.08
CI,Yamoussoukro,6.83,-5.29
HR,Zagreb,45.81,15.98
CU,Havana,23.11,-82.37
CY,Nicosia,35.19,33.38
CZ,Prague,50.08,14.44
DK,Copenhagen,55.68,12.57
DJ,Djibouti,11.59,43.15
DM,Roseau,15.30,-61.39
DO,Santo Domingo,18.49,-69.93
EC,Quito,-0.18,-78.47
EG,Cairo,30.04,31.24
SV,San Salvador,13.69,-89.22
GQ,Malabo,3.75,8.78
ER,Asmara,15.32,38.93
EE,Tallinn,59.44,24.75
SZ,Mbabane,-26.31,31.14
ET,Addis Ababa,9.03,38.74
FJ,Suva,-18.14,178.44
FI,Helsinki,60.17,24.94
FR,Paris,48.86,2.35
GA,Libreville,0.42,9.47
GM,Banjul,13.45,-16.58
GE,Tbilisi,41.72,44.83
DE,Berlin,52.52,13.40
GH,Accra,5.60,-0.19
GR,Athens,37.98,23.73
GD,Saint George's,12.06,-61.75
GT,Guatemala City,14.63,-90.51
GN,Conakry,9.64,-13.58
GW,Bissau,11.86,-15.60
GY,Georgetown,6.80,-58.16
HT,Port-au-Prince,18.59,-72.31
HN,Tegucigalpa,14.07,-87.19
HU,Budapest,47.50,19.04
IS,Reykjavik,64.15,-21.94
IN,New Delhi,28.61,77.21
ID,Jakarta,-6.21,106.85
IR,Tehran,35.69,51.39
IQ,Baghdad,33.31,44.37
IE,Dublin,53.35,-6.26
IL,Jerusalem,31.77,35.21
IT,Rome,41.90,12.50
JM,Kingston,17.97,-76.79
JP,Tokyo,35.68,139.69
JO,Amman,31.95,35.93
KZ,Astana,51.17,71.43
KE,Nairobi,-1.29,36.82
KI,South Tarawa,1.33,172.98
KW,Kuwait City,29.38,47.99
KG,Bishkek,42.87,74.59
LA,Vientiane,17.98,102.63
LV,Riga,56.95,24.11
LB,Beirut,33.89,35.50
LS,Maseru,-29.31,27.48
LR,Monrovia,6.30,-10.80
LY,Tripoli,32.89,13.19
LI,Vaduz,47.14,9.52
LT,Vilnius,54.69,25.28
LU,Luxembourg,49.61,6.13
MG,Antananarivo,-18.88,47.51
MW,Lilongwe,-13.96,33.79
MY,Kuala Lumpur,3.14,101.69
MV,Male,4.18,73.51
ML,Bamako,12.64,-8.00
MT,Valletta,35.90,14.51
MH,Majuro,7.09,171.38
MR,Nouakchott,18.07,-15.96
MU,Port Louis,-20.16,57.50
MX,Mexico City,19.43,-99.13
FM,Palikir,6.92,158.16
MD,Chisinau,47.01,28.86
MC,Monaco,43.73,7.42
MN,Ulaanbaatar,47.89,106.91
ME,Podgorica,42.43,19.26
MA,Rabat,34.02,-6.83
MZ,Maputo,-25.97,32.57
MM,Naypyidaw,19.76,96.08
NA,Windhoek,-22.56,17.08
NR,Yaren,-0.55,166.92
NP,Kathmandu,27.72,85.32
NL,Amsterdam,52.37,4.90
NZ,Wellington,-41.29,174.78
NI,Managua,12.11,-86.24
NE,Niamey,13.51,2.13
NG,Abuja,9.06,7.49
KP,Pyongyang,39.04,125.76
MK,Skopje,42.00,21.43
NO,Oslo,59.91,10.75
OM,Muscat,23.59,58.41
PK,Islamabad,33.69,73.05
PW,Ngerulmud,7.50,134.62
PS,Ramallah,31.90,35.20
PA,Panama City,8.98,-79.52
PG,Port Moresby,-9.44,147.18
PY,Asuncion,-25.26,-57.58
PE,Lima,-12.05,-77.04
PH,Manila,14.60,120.98
PL,Warsaw,52.23,21.01
PT,Lisbon,38.72,-9.14
QA,Doha,25.29,51.53
RO,Bucharest,44.43,26.10
RU,Moscow,55.76,37.62
RW,Kigali,-1.95,30.06
KN,Basseterre,17.30,-62.72
LC,Castries,14.01,-60.99
VC,Kingstown,13.16,-61.22
WS,Apia,-13.83,-171.77
SM,San Marino,43.94,12.45
ST,Sao Tome,0.34,6.73
SA,Riyadh,24.71,46.68
SN,Dakar,14.72,-17.47
RS,Belgrade,44.79,20.45
SC,Victoria,-4.62,55.45
SL,Freetown,8.47,-13.23
SG,Singapore,1.35,103.82
SK,Bratislava,48.15,17.11
SI,Ljubljana,46.06,14.51
SB,Honiara,-9.43,159.95
SO,Mogadishu,2.05,45.32
ZA,Pretoria,-25.75,28.19
KR,Seoul,37.57,126.98
SS,Juba,4.86,31.58
ES,Madrid,40.42,-3.70
LK,Colombo,6.93,79.86
SD,Khartoum,15.50,32.56
SR,Paramaribo,5.85,-55.20
SE,Stockholm,59.33,18.07
CH,Bern,46.95,7.45
SY,Damascus,33.51,36.29
TW,Taipei,25.03,121.57
TJ,Dushanbe,38.56,68.79
TZ,Dodoma,-6.16,35.75
TH,Bangkok,13.76,100.50
TL,Dili,-8.56,125.56
TG,Lome,6.13,1.22
TO,Nuku'alofa,-21.14,-175.20
TT,Port of Spain,10.66,-61.52
TN,Tunis,36.81,10.18
TR,Ankara,39.93,32.86
TM,Ashgabat,37.96,58.33
TV,Funafuti,-8.52,179.20
UG,Kampala,0.35,32.58
UA,Kyiv,50.45,30.52
AE,Abu Dhabi,24.45,54.38
GB,London,51.51,-0.13
US,Washington,38.91,-77.04
UY,Montevideo,-34.90,-56.16
UZ,Tashkent,41.30,69.24
VU,Port Vila,-17.73,168.32
VA,Vatican City,41.90,12.45
VE,Caracas,10.48,-66.90
VN,Hanoi,21.03,105.85
YE,Sanaa,15.37,44.19
ZM,Lusaka,-15.39,28.32
ZW,Harare,-17.83,31.05`;

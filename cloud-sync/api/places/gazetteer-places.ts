/**
 * Built-in places: the capital of each country, and towns near the reefs of the census regions. Common knowledge (name,
 * position to a twentieth of a degree), compiled here, not copied; checked against a public list (docs/decisions/accounts.md).
 * Line format: name, state or province (may be empty), country by ISO 3166-1, latitude, longitude in degrees.
 */
export const REEF_TOWNS = `
Cairns,Queensland,AU,-16.92,145.77
Port Douglas,Queensland,AU,-16.48,145.46
Cooktown,Queensland,AU,-15.47,145.25
Mossman,Queensland,AU,-16.46,145.37
Innisfail,Queensland,AU,-17.52,146.03
Mission Beach,Queensland,AU,-17.87,146.11
Cardwell,Queensland,AU,-18.27,146.03
Ingham,Queensland,AU,-18.65,146.16
Townsville,Queensland,AU,-19.26,146.82
Magnetic Island,Queensland,AU,-19.14,146.84
Ayr,Queensland,AU,-19.57,147.40
Bowen,Queensland,AU,-20.01,148.25
Airlie Beach,Queensland,AU,-20.27,148.72
Proserpine,Queensland,AU,-20.40,148.58
Hamilton Island,Queensland,AU,-20.35,148.96
Mackay,Queensland,AU,-21.14,149.19
Yeppoon,Queensland,AU,-23.13,150.74
Rockhampton,Queensland,AU,-23.38,150.51
Gladstone,Queensland,AU,-23.84,151.26
Agnes Water,Queensland,AU,-24.21,151.90
Seventeen Seventy,Queensland,AU,-24.16,151.88
Bundaberg,Queensland,AU,-24.87,152.35
Hervey Bay,Queensland,AU,-25.29,152.85
Noosa Heads,Queensland,AU,-26.40,153.09
Brisbane,Queensland,AU,-27.47,153.03
Gold Coast,Queensland,AU,-28.02,153.40
Weipa,Queensland,AU,-12.63,141.88
Thursday Island,Queensland,AU,-10.58,142.22
Lockhart River,Queensland,AU,-12.79,143.35
Sydney,New South Wales,AU,-33.87,151.21
Newcastle,New South Wales,AU,-32.93,151.78
Coffs Harbour,New South Wales,AU,-30.30,153.11
Byron Bay,New South Wales,AU,-28.64,153.61
Lord Howe Island,New South Wales,AU,-31.55,159.08
Melbourne,Victoria,AU,-37.81,144.96
Adelaide,South Australia,AU,-34.93,138.60
Hobart,Tasmania,AU,-42.88,147.33
Darwin,Northern Territory,AU,-12.46,130.84
Perth,Western Australia,AU,-31.95,115.86
Fremantle,Western Australia,AU,-32.06,115.75
Broome,Western Australia,AU,-17.96,122.24
Karratha,Western Australia,AU,-20.74,116.85
Onslow,Western Australia,AU,-21.64,115.11
Exmouth,Western Australia,AU,-21.93,114.13
Coral Bay,Western Australia,AU,-23.14,113.77
Carnarvon,Western Australia,AU,-24.88,113.66
Auckland,,NZ,-36.85,174.76
Christchurch,,NZ,-43.53,172.64
Denpasar,Bali,ID,-8.65,115.22
Labuan Bajo,East Nusa Tenggara,ID,-8.50,119.89
Sorong,Southwest Papua,ID,-0.88,131.26
Manado,North Sulawesi,ID,1.49,124.84
Makassar,South Sulawesi,ID,-5.15,119.43
Ambon,Maluku,ID,-3.70,128.18
Wakatobi,Southeast Sulawesi,ID,-5.32,123.59
Surabaya,East Java,ID,-7.25,112.75
Kota Kinabalu,Sabah,MY,5.98,116.07
Semporna,Sabah,MY,4.48,118.61
Cebu City,Cebu,PH,10.32,123.89
Puerto Princesa,Palawan,PH,9.74,118.74
Dumaguete,Negros Oriental,PH,9.31,123.31
Davao City,Davao del Sur,PH,7.07,125.61
Phuket,,TH,7.88,98.39
Ko Tao,Surat Thani,TH,10.10,99.84
Nha Trang,Khanh Hoa,VN,12.24,109.20
Naha,Okinawa,JP,26.21,127.68
Ishigaki,Okinawa,JP,24.34,124.16
Kaohsiung,,TW,22.63,120.30
Alotau,Milne Bay,PG,-10.31,150.46
Madang,Madang,PG,-5.22,145.79
Kimbe,West New Britain,PG,-5.55,150.14
Kavieng,New Ireland,PG,-2.57,150.80
Gizo,Western Province,SB,-8.10,156.84
Luganville,Sanma,VU,-15.52,167.17
Noumea,,NC,-22.27,166.45
Nadi,,FJ,-17.80,177.42
Savusavu,,FJ,-16.78,179.33
Papeete,Tahiti,PF,-17.54,-149.57
Avarua,Rarotonga,CK,-21.21,-159.78
Pago Pago,,AS,-14.28,-170.70
Hagatna,,GU,13.47,144.75
Saipan,,MP,15.19,145.75
Honolulu,Hawaii,US,21.31,-157.86
Kailua-Kona,Hawaii,US,19.64,-155.99
Hilo,Hawaii,US,19.72,-155.08
Miami,Florida,US,25.76,-80.19
Key West,Florida,US,24.56,-81.78
Key Largo,Florida,US,25.09,-80.45
New York,New York,US,40.71,-74.01
Los Angeles,California,US,34.05,-118.24
San Francisco,California,US,37.77,-122.42
San Diego,California,US,32.72,-117.16
Seattle,Washington,US,47.61,-122.33
Boston,Massachusetts,US,42.36,-71.06
Chicago,Illinois,US,41.88,-87.63
San Juan,,PR,18.47,-66.11
Charlotte Amalie,,VI,18.34,-64.93
Cancun,Quintana Roo,MX,21.16,-86.85
Cozumel,Quintana Roo,MX,20.51,-86.95
Playa del Carmen,Quintana Roo,MX,20.63,-87.08
Belize City,,BZ,17.50,-88.20
San Pedro,,BZ,17.92,-87.96
Roatan,Bay Islands,HN,16.32,-86.54
Bocas del Toro,,PA,9.34,-82.24
San Andres,,CO,12.58,-81.70
George Town,,KY,19.29,-81.38
Kralendijk,Bonaire,BQ,12.15,-68.27
Willemstad,,CW,12.11,-68.93
Oranjestad,,AW,12.52,-70.03
Montego Bay,,JM,18.47,-77.92
Hamilton,,BM,32.29,-64.78
Salvador,Bahia,BR,-12.97,-38.50
Porto de Galinhas,Pernambuco,BR,-8.50,-35.00
Puerto Ayora,Galapagos,EC,-0.74,-90.31
Hurghada,Red Sea,EG,27.26,33.81
Sharm El Sheikh,South Sinai,EG,27.92,34.33
Dahab,South Sinai,EG,28.50,34.51
Marsa Alam,Red Sea,EG,25.07,34.90
Eilat,,IL,29.56,34.95
Aqaba,,JO,29.53,35.01
Jeddah,,SA,21.49,39.19
Port Sudan,,SD,19.62,37.22
Dubai,,AE,25.20,55.27
Mombasa,,KE,-4.04,39.67
Watamu,,KE,-3.35,40.02
Zanzibar City,Zanzibar,TZ,-6.16,39.20
Pemba,Cabo Delgado,MZ,-12.97,40.52
Tofo,Inhambane,MZ,-23.85,35.55
Toliara,,MG,-23.35,43.67
Nosy Be,,MG,-13.40,48.27
Mamoudzou,,YT,-12.78,45.23
Saint-Denis,,RE,-20.88,55.45
Addu City,,MV,-0.63,73.16
Kavaratti,Lakshadweep,IN,10.57,72.64
Port Blair,Andaman and Nicobar Islands,IN,11.67,92.75
Mumbai,Maharashtra,IN,19.08,72.88
Trincomalee,,LK,8.57,81.23
Galle,,LK,6.05,80.22
Durban,KwaZulu-Natal,ZA,-29.86,31.03
Cape Town,Western Cape,ZA,-33.92,18.42
Lagos,,NG,6.52,3.38
Toronto,Ontario,CA,43.65,-79.38
Vancouver,British Columbia,CA,49.28,-123.12
Montreal,Quebec,CA,45.50,-73.57
Sao Paulo,Sao Paulo,BR,-23.55,-46.63
Rio de Janeiro,Rio de Janeiro,BR,-22.91,-43.17
Edinburgh,Scotland,GB,55.95,-3.19
Manchester,England,GB,53.48,-2.24
Plymouth,England,GB,50.38,-4.14
Hamburg,,DE,53.55,9.99
Munich,Bavaria,DE,48.14,11.58
Zurich,,CH,47.37,8.54
Geneva,,CH,46.20,6.14
Milan,,IT,45.46,9.19
Barcelona,Catalonia,ES,41.39,2.17
Marseille,,FR,43.30,5.37
Istanbul,,TR,41.01,28.98
Shanghai,,CN,31.23,121.47
Hong Kong,,HK,22.32,114.17
Sanya,Hainan,CN,18.25,109.51
Osaka,,JP,34.69,135.50
Ho Chi Minh City,,VN,10.78,106.70`;
